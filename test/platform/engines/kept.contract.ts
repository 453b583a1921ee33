import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Containers, Engine, KeptContainer } from '../../../src/platform/shared/domain/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

type KeepingEngine = { engine: Engine & { containers: Containers }; image: string }

export const keptPromises = ({ engine, image }: KeepingEngine) =>
  describe('kept containers', () => {
    const { containers } = engine
    const made: string[] = []
    const newOne = (more: Partial<KeptContainer> = {}): KeptContainer => {
      const id = randomUUID()
      made.push(id)
      return { id, image, memoryMb: 128, ...more }
    }
    afterEach(async () => {
      for (const id of made.splice(0)) await containers.remove({ kind: 'kept', id })
    })

    const run = async (kept: KeptContainer, script: string) =>
      engine.run({
        ...{ id: randomUUID(), in: { kept }, command: ['/bin/sh', '-c', script], env: {}, folders: [], stdin: '' },
        ...{ memoryMb: kept.memoryMb, diskMb: 100, timeoutSeconds: 60, signal: new AbortController().signal },
      })
    const found = async ({ id }: KeptContainer) => (await containers.list()).filter((each) => each.id === id)

    test('is created once if many ask for it at the same time', async () => {
      const kept = newOne()

      const answers = await Promise.all(Array.from({ length: 5 }, () => containers.keep(kept)))

      expect(answers).toEqual(Array(5).fill({}))
      expect(await found(kept)).toMatchObject([{ kind: 'kept', isRunning: true }])
    })

    test('keeps its home folder when it is replaced by one with more memory', async () => {
      const kept = newOne()
      await run(kept, 'echo kept > ~/file')

      const end = await run({ ...kept, memoryMb: 256 }, 'cat ~/file')

      expect(end).toMatchObject({ outcome: 'exited', code: 0, stdout: 'kept\n' })
      expect(await found(kept)).toHaveLength(1)
    })

    test('is started again by the next command after it ended', async () => {
      const kept = newOne()
      await run(kept, 'echo kept > ~/file')
      await run(kept, 'kill -TERM -1; kill -KILL -1')

      const end = await run(kept, 'cat ~/file')

      expect(end).toMatchObject({ outcome: 'exited', code: 0, stdout: 'kept\n' })
    })

    test('two of them share no files', async () => {
      const [one, other] = [newOne(), newOne()]
      await run(one, 'echo secret > ~/file; echo secret > /tmp/file')

      const end = await run(other, 'cat ~/file /tmp/file; true')

      expect(end).toMatchObject({ outcome: 'exited', stdout: '' })
    })

    test('a removed one is gone with its home folder, and removing it again is a no-op', async () => {
      const kept = newOne()
      await run(kept, 'echo kept > ~/file')

      for (let times = 0; times < 2; times++) await containers.remove({ kind: 'kept', id: kept.id })

      expect(await found(kept)).toEqual([])
      expect(await run(kept, 'cat ~/file')).toMatchObject({ outcome: 'exited', code: 1 })
    })

    test('an unknown image is a problem that names it', async () => {
      const unknown = 'localhost/no-such-image:1'

      expect((await containers.fetch(unknown)).problem).toContain(unknown)
      expect((await containers.keep(newOne({ image: unknown }))).problem).toContain(unknown)
      expect(await containers.fetch(image)).toEqual({})
    })

    test('a watcher is called when one ends', async () => {
      const kept = newOne()
      await containers.keep(kept)
      const stop = new AbortController()
      let told = 0
      const watching = containers.watch(() => told++, stop.signal)

      // The watch may begin after the first end.
      await waitFor('it is told', async () => {
        await run(kept, 'kill -TERM -1; kill -KILL -1')
        return told > 0
      })
      stop.abort()
      await watching
    })
  })
