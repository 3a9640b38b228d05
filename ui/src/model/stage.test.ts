import { expect, it } from 'vitest';
import { Notices } from './notices.svelte';
import { Deeds } from './deeds';
import { Servers } from './servers.svelte';
import { Stage } from './stage.svelte';
import { server, serverList, Stub } from './stub';

function world() {
  const stub = new Stub({
    list_servers: () => serverList([server({ id: 'files' })]),
    remove_server: () => ({}),
    enable_server: () => Promise.reject(new Error('the file is read-only')),
    list_shapes: () => ({ shapes: [] }),
  });
  const stage = new Stage();
  const notices = new Notices();
  return { stub, stage, notices, deeds: new Deeds(stub, new Servers(stub), stage, notices) };
}

it('a form that was begun stays at hand, and one in which nothing was changed does not', () => {
  const { stage, deeds } = world();
  deeds.add();
  expect(stage.room).toBe('form');
  stage.showServer();
  expect(stage.form, 'nothing was typed').toBeNull();

  deeds.add();
  if (stage.form) stage.form.name = 'half';
  stage.showServer();
  expect(stage.room).toBe('server');
  deeds.add();
  expect(stage.form?.name, 'adding again goes on with it').toBe('half');
  stage.closeForm();
  expect(stage.form).toBeNull();
});

it('what is refused from a menu is told in a notice', async () => {
  const { notices, deeds } = world();
  await deeds.enable('files', false);
  expect(notices.list[0]?.error?.message).toBe('the file is read-only');
  notices.dismiss(notices.list[0]?.id ?? 0);
  expect(notices.list).toEqual([]);
});

it('shapes are asked for once', async () => {
  const { stub, deeds } = world();
  await Promise.all([deeds.listShapes(), deeds.listShapes()]);
  expect(stub.requests('list_shapes')).toHaveLength(1);
});
