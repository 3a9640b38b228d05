import { describe, expect, it } from 'vitest';
import type { Arrangement } from '../backend/bindings';
import { grouped, groupMoved, moved, placed, renamed, sections } from './arrangement';
import { server } from './stub';

const project = { layer: 'project', file: '.mcp.json' } as const;
const global = { layer: 'global', file: 'servers.json' } as const;
const all = [
  server({ id: 'files', origin: project }),
  server({ id: 'git', origin: project }),
  server({ id: 'search', origin: global }),
  server({ id: 'demo', origin: { layer: 'built-in', file: null } }),
];
const none: Arrangement = { groups: [] };
const work: Arrangement = {
  groups: [
    { name: 'Work', servers: ['search', 'git'] },
    { name: 'Play', servers: ['demo'] },
    { name: '', servers: ['files'] },
  ],
};
const read = (arrangement: Arrangement | null): Record<string, string[]> =>
  Object.fromEntries(
    sections(all, arrangement ?? none).map((section) => [
      section.title,
      section.servers.map((each) => each.id),
    ]),
  );

describe('the list of servers', () => {
  it('has the layers nearest first where nobody arranged anything', () => {
    expect(read(none)).toEqual({ project: ['files', 'git'], global: ['search'], 'built in': ['demo'] });
  });

  it('has the groups of a person first, in their order, and no empty one', () => {
    expect(Object.keys(read(work))).toEqual(['Work', 'Play', 'project']);
    expect(read(work)['Work']).toEqual(['search', 'git']);
    expect(read({ groups: [{ name: 'Gone', servers: ['no longer there'] }] })).toEqual(read(none));
  });

  it('puts servers that nobody arranged behind the others', () => {
    expect(read({ groups: [{ name: '', servers: ['git'] }] })['project']).toEqual(['git', 'files']);
  });
});

describe('a server that is moved', () => {
  it('changes places with its neighbour', () => {
    expect(read(moved(sections(all, none), 'files', 1))['project']).toEqual(['git', 'files']);
    expect(read(moved(sections(all, work), 'git', -1))['Work']).toEqual(['git', 'search']);
  });

  it('goes on into the next group, and out of the last one into its layer', () => {
    expect(read(moved(sections(all, work), 'git', 1))).toMatchObject({
      Work: ['search'],
      Play: ['git', 'demo'],
    });
    expect(read(moved(sections(all, work), 'demo', 1))).toMatchObject({ 'built in': ['demo'] });
    expect(read(moved(sections(all, work), 'files', -1))['Play']).toEqual(['demo', 'files']);
  });

  it('does not go into the layer of another file', () => {
    expect(moved(sections(all, none), 'search', -1)).toBeNull();
    expect(placed(sections(all, none), 'search', 'layer:project', 0)).toBeNull();
    expect(moved(sections(all, none), 'demo', 1), 'the last one').toBeNull();
  });

  it('can be dropped at any place of a group', () => {
    expect(read(placed(sections(all, work), 'files', 'group:Work', 1))['Work']).toEqual([
      'search',
      'files',
      'git',
    ]);
  });
});

describe('a group', () => {
  it('is made by the first server in it and goes with the last', () => {
    const made = grouped(sections(all, none), 'git', 'New');
    expect(read(made)['New']).toEqual(['git']);
    const unmade = grouped(sections(all, made ?? none), 'git', '');
    expect(read(unmade)['New']).toBeUndefined();
    expect(unmade?.groups.map((group) => group.name)).toEqual(['']);
  });

  it('is renamed, merged into one of the same name, and dissolved without one', () => {
    expect(Object.keys(read(renamed(sections(all, work), 'Work', 'Office')))).toEqual([
      'Office',
      'Play',
      'project',
    ]);
    expect(read(renamed(sections(all, work), 'Work', 'Play'))['Play']).toEqual(['demo', 'search', 'git']);
    expect(read(renamed(sections(all, work), 'Work', ''))).toEqual({
      Play: ['demo'],
      project: ['files', 'git'],
      global: ['search'],
    });
  });

  it('is moved as a whole', () => {
    expect(Object.keys(read(groupMoved(sections(all, work), 'Play', -1)))).toEqual([
      'Play',
      'Work',
      'project',
    ]);
    expect(groupMoved(sections(all, work), 'Work', -1)).toBeNull();
  });
});
