import type { Containers, Engine } from '../../../src/platform/shared/domain/engine.ts'

/** Has no containers, and starts and stops all that it is asked to. */
export const containersWith = (more: Partial<Containers>): Containers => ({
  fetch: async () => ({}),
  keep: async () => ({}),
  stop: async () => {},
  remove: async () => {},
  list: async () => [],
  watch: async () => {},
  ...more,
})

/** Every command ends at once, with both outputs. */
export const engineOf = (containers: Containers): Engine => ({
  kind: 'docker',
  problem: async () => undefined,
  run: async () => ({ outcome: 'exited', code: 0, stdout: 'out\n', stderr: 'err\n' }),
  containers,
})
