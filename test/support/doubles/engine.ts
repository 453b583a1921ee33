import { Duplex } from 'node:stream'
import type { ContainerUses } from '../../../src/platform/gateway/domain/sandbox/container-uses.ts'
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

/** Nobody has used a container of an agent. */
export const noContainerUses: Pick<ContainerUses, 'known' | 'adopt' | 'claimStop' | 'endStop' | 'forget'> = {
  ...{ known: async () => [], adopt: async () => {}, forget: async () => {} },
  ...{ claimStop: async () => true, endStop: async () => {} },
}

/** Every command ends at once, with both outputs. */
export const engineOf = (containers: Containers): Engine => ({
  kind: 'docker',
  problem: async () => undefined,
  run: async () => ({ outcome: 'exited', code: 0, stdout: 'out\n', stderr: 'err\n' }),
  containers,
})

/** A connection to a server that answers whatever it is asked. */
export const answeringServer = (): Duplex =>
  new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      this.push('HTTP/1.1 200 OK\r\n\r\n')
      done()
    },
  })
