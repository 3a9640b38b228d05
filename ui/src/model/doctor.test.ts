import { expect, it } from 'vitest';
import type { Examination } from '../backend/bindings';
import { Doctor } from './doctor.svelte';
import { later, Stub } from './stub';

const found = { server: 'a', verdict: 'well' } as Examination;

it('one examination of a server runs at a time, and the last one stays in sight meanwhile', async () => {
  let next = later<Examination>();
  const stub = new Stub({ examine_server: () => next.promise });
  const doctor = new Doctor(stub);
  const first = doctor.examine('a');
  void doctor.examine('a');
  expect(stub.requests('examine_server')).toHaveLength(1);
  expect(doctor.of('a')).toMatchObject({ running: true, found: null });
  next.resolve(found);
  await first;
  expect(doctor.of('a')).toMatchObject({ running: false, found });

  next = later();
  void doctor.examine('a');
  expect(doctor.of('a')).toMatchObject({ running: true, found });
  expect(doctor.of('b'), 'another server was not examined').toBeNull();
});

it('an examination that is refused says why', async () => {
  const doctor = new Doctor(new Stub({ examine_server: () => Promise.reject(new Error('not approved')) }));
  await doctor.examine('a');
  expect(doctor.of('a')).toMatchObject({ running: false, found: null, refusal: { message: 'not approved' } });
});
