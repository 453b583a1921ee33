// Processes of a sandbox, as clients start, follow and end them. The same on every engine.
import { once } from 'node:events'
import { get, request as httpRequest } from 'node:http'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import type { PlatformWorld } from '../../support/worlds/platform-world.ts'

type Served = {
  world: PlatformWorld
  /** Another process of the platform on the same database. */
  other: PlatformWorld
  sandbox: string
}

export const processPromises = ({ world, other, sandbox }: Served) =>
  describe('processes of a sandbox', () => {
    const credential = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
    const base = `/acme/sandboxes/${sandbox}/process`
    const at = (path = '', from = world) => ({
      get: () => request(from.app).get(`${base}${path}`).set(credential),
      delete: () => request(from.app).delete(`${base}${path}`).set(credential),
    })
    const start = (input: object, from = world) => request(from.app).post(base).set(credential).send(input)
    const exec = async (command: string, more: object = {}) =>
      (await start({ command, waitForCompletion: true, ...more }).expect(200)).body
    const ended = (pid: string, from = world) =>
      waitFor('it has ended', async () => {
        const { body } = await at(`/${pid}`, from).get().expect(200)
        return body.status !== 'running' && body
      })

    test('a process that is awaited has its exit code and both outputs', async () => {
      const done = await exec('echo out; echo err >&2; exit 3', { name: 'both' })

      expect(done).toMatchObject({ name: 'both', status: 'failed', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
      expect(await exec('true')).toMatchObject({ status: 'completed', exitCode: 0, logs: '' })
    })

    test('a process goes on after the request that started it, and any process of the platform has its state and logs', async () => {
      const { body: started } = await start({ command: 'echo begun; sleep 1; echo over' }).expect(200)

      expect(started).toMatchObject({ status: 'running' })
      expect(await ended(started.pid, other)).toMatchObject({ status: 'completed', exitCode: 0, logs: 'begun\nover\n' })
      const { body: logs } = await at(`/${started.pid}/logs`).get().expect(200)
      expect(logs).toEqual({ logs: 'begun\nover\n', stdout: 'begun\nover\n', stderr: '' })
      const { body: list } = await at('', other).get().expect(200)
      expect(list.map(({ pid }: { pid: string }) => pid)).toContain(started.pid)
    })

    test('a process gets its variables and its working folder', async () => {
      const done = await exec('pwd; echo "$GREETING $SANDBOX"', { env: { GREETING: 'hello' }, workingDir: '/tmp' })

      expect(done.stdout).toBe(`/tmp\nhello ${sandbox}\n`)
    })

    test('a process ends at its timeout', async () => {
      const done = await exec('echo begun; sleep 600', { timeout: 1 })

      expect(done).toMatchObject({ status: 'failed', stdout: 'begun\n', stderr: 'It ran longer than 1 s.\n' })
    })

    test.each([
      ['', 'stopped'],
      ['/kill', 'killed'],
    ])('DELETE …%s ends one, whichever process of the platform runs it', async (path, state) => {
      for (const [at_, name] of [world, other].entries()) {
        const { body: started } = await start({ command: 'sleep 600', name: `endless-${state}-${at_}` }).expect(200)

        await at(`/endless-${state}-${at_}${path}`, name).delete().expect(200)

        expect(await ended(started.pid)).toMatchObject({ status: state, exitCode: 137 })
      }
    })

    test('two running processes cannot have the same name, and an ended one gives it back', async () => {
      const { body: first } = await start({ command: 'sleep 600', name: 'server' }).expect(200)

      await start({ command: 'true', name: 'server' }).expect(409)
      await at('/server/kill').delete().expect(200)
      const second = await exec('true', { name: 'server' })

      expect(second.pid).not.toBe(first.pid)
      expect((await at('/server').get()).body).toMatchObject({ pid: second.pid, status: 'completed' })
    })

    test('a process is restarted after a failure, at most as often as requested', async () => {
      const done = await exec('echo try; exit 1', { restartOnFailure: true, maxRestarts: 2 })

      expect(done).toMatchObject({ status: 'failed', restartCount: 2, logs: 'try\ntry\ntry\n' })
    })

    test('lines are streamed while the process runs', async () => {
      const { body: started } = await start({ command: 'echo one; echo two >&2; sleep 600' }).expect(200)
      const url = await other.listen()
      const req = get(`${url}${base}/${started.pid}/logs/stream`, { headers: credential })
      const [res] = await once(req, 'response')
      let text = ''
      res.on('data', (part: Buffer) => {
        text += part
      })

      await waitFor('both lines have arrived', () => /stdout:one\n/.test(text) && /stderr:two\n/.test(text))
      await at(`/${started.pid}/kill`).delete().expect(200)
      await once(res, 'end')
    })

    test('an awaited process streams its lines and then its end', async () => {
      const url = await world.listen()
      const headers = { ...credential, 'content-type': 'application/json', accept: 'text/event-stream' }
      const req = httpRequest(`${url}${base}`, { method: 'POST', headers })
      req.end(JSON.stringify({ command: 'echo one; echo two >&2; exit 4', waitForCompletion: true }))
      const [res] = await once(req, 'response')
      let text = ''
      for await (const part of res) text += part
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))

      expect(res.headers['content-type']).toBe('application/x-ndjson')
      expect(lines).toContainEqual({ type: 'stdout', data: 'one' })
      expect(lines).toContainEqual({ type: 'stderr', data: 'two' })
      expect(JSON.parse(lines.at(-1).data)).toMatchObject({ status: 'failed', exitCode: 4, stdout: 'one\n' })
    })

    test('the newest megabyte of a long output is kept', async () => {
      const { stdout } = await exec('yes "a line" | head -n 200000; echo "the last line"')

      expect(stdout.length).toBeLessThanOrEqual(1024 * 1024)
      expect(stdout).toMatch(/a line\nthe last line\n$/)
    })

    test('a process fails when its process of the platform dies', async () => {
      const { body: started } = await start({ command: 'sleep 600' }).expect(200)
      await world.pool.query(
        `update sandbox_processes set worker = 'died', lease_until = now() - interval '1 second' where pid = $1`,
        [started.pid],
      )

      expect((await at(`/${started.pid}`).get()).body).toMatchObject({ status: 'failed', exitCode: 137 })
    })

    test.each([
      [{}],
      [{ command: '' }],
      [{ command: 'true', name: '17' }],
      [{ command: 'true', workingDir: 'tmp' }],
      [{ command: 'true', stdin: true }],
      [{ command: 'true', timeout: 86_401 }],
      [{ command: 'true', env: { 'a b': 'x' } }],
    ])('%j is rejected', async (input) => {
      await start(input).expect(400)
    })

    test('tools start, list, read and stop processes', async () => {
      const call = async (name: string, args: object) => {
        const { body } = await request(world.app)
          .post(`/acme/sandboxes/${sandbox}/mcp`)
          .set({ ...credential, Accept: 'application/json, text/event-stream' })
          .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
        return body.result.content[0].text as string
      }

      const { process } = JSON.parse(await call('start_process', { command: 'echo begun; sleep 600', name: 'by-tool' }))
      const begun = await waitFor('its output is there', async () => {
        const read = JSON.parse(await call('read_process', { process: 'by-tool' }))
        return read.output === 'begun\n' && read
      })
      await call('stop_process', { process })

      expect(begun).toMatchObject({ process, name: 'by-tool', status: 'running' })
      const listed = JSON.parse(await call('list_processes', {})).find(
        (each: { process: string }) => each.process === process,
      )
      expect(listed).toMatchObject({ status: 'stopped', exitCode: 137 })
    })

    test('an unknown process is not found', async () => {
      for (const path of ['/1', '/none/logs', '/none/logs/stream']) await at(path).get().expect(404)
      await at('/none').delete().expect(404)
    })
  })
