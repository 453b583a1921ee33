// What every engine does. `unsupported` names the promises that an engine does not keep.
import { beforeAll, describe, expect, test } from 'vitest'
import { cutShortSentence, type Engine, type EngineRun } from '../../../src/platform/shared/domain/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

export type EngineUnderTest = {
  open(): Promise<Engine>
  /** Runs a shell script. */
  command(script: string): EngineRun['command']
  /** Arguments of all processes of this machine whose command line contains `mark`. */
  processesWith(mark: string): number[]
  unsupported: readonly string[]
}

let runs = 0

export const enginePromises = ({ open, command, processesWith, unsupported }: EngineUnderTest) =>
  describe('an engine', () => {
    let engine: Engine
    beforeAll(async () => {
      engine = await open()
    })

    const named = new Set<string>()
    const promise = (name: string, prove: () => Promise<void>) => {
      named.add(name)
      test.skipIf(unsupported.includes(name))(name, prove)
    }

    const run = (script: string, more: Partial<EngineRun> = {}) =>
      engine.run({
        id: `contract-${process.pid}-${runs++}`,
        command: command(script),
        env: {},
        folders: [],
        memoryMb: 128,
        diskMb: 100,
        timeoutSeconds: 60,
        stdin: '',
        signal: new AbortController().signal,
        ...more,
      })
    const exited = (code: number, stdout = '', stderr = '') => ({ outcome: 'exited', code, stdout, stderr })

    promise('says that it has no problem', async () => {
      expect(await engine.problem()).toBeUndefined()
    })

    promise('keeps both outputs and the exit code apart', async () => {
      expect(await run('echo out; echo err >&2; exit 3')).toMatchObject(exited(3, 'out\n', 'err\n'))
    })

    promise('passes each output on while a command runs', async () => {
      const stop = new AbortController()
      const passed = { stdout: '', stderr: '' }
      const onOutput = (output: 'stdout' | 'stderr', part: Uint8Array) => {
        passed[output] += Buffer.from(part).toString()
      }

      const running = run('echo out; echo err >&2; sleep 600', { onOutput, signal: stop.signal })

      await waitFor('both have arrived', () => passed.stdout === 'out\n' && passed.stderr === 'err\n')
      stop.abort()
      expect(await running).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
    })

    promise('passes input of a megabyte and its end', async () => {
      expect(await run('wc -c', { stdin: 'x'.repeat(1_000_000) })).toMatchObject(exited(0, '1000000\n'))
    })

    promise('a command that does not read its input ends by itself', async () => {
      expect(await run('exit 4', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ outcome: 'exited', code: 4 })
    })

    promise('passes variables unchanged, with quotes, lines and other scripts', async () => {
      const value = 'a "b" \'c\' $HOME\n ünï\t\\'

      expect(await run('printf %s "$VALUE"', { env: { VALUE: value } })).toMatchObject(exited(0, value))
    })

    promise('sets the home folder, in which a command can write', async () => {
      expect(await run('cd && pwd && echo kept > file && cat file')).toMatchObject(exited(0, '/home/user\nkept\n'))
    })

    promise('starts in the home folder', async () => {
      expect(await run('pwd')).toMatchObject(exited(0, '/home/user\n'))
    })

    promise('passes nothing of the platform’s environment', async () => {
      process.env.CONTRACT_SECRET = 'contract-secret'

      const end = await run('env')

      expect(end.code).toBe(0)
      expect(end.stdout).not.toContain('contract-secret')
    })

    promise('two runs share no files in /tmp and the home folder', async () => {
      await run('echo left > /tmp/left; echo left > ~/left')

      expect(await run('ls -A /tmp ~ | grep left')).toMatchObject(exited(1))
    })

    const temporary = [
      { at: '/scratch', maxMb: 2, readOnly: false },
      { at: '/fixed', maxMb: 1, readOnly: true },
    ]

    promise('gives a run its temporary folders', async () => {
      const script =
        'echo kept > /scratch/file; cat /scratch/file; ls -A /fixed; touch /fixed/x 2>/dev/null || echo fixed'

      expect(await run(script, { temporary })).toMatchObject(exited(0, 'kept\nfixed\n'))
    })

    promise('a temporary folder holds no more than its size', async () => {
      const script = 'head -c 8000000 /dev/zero > /scratch/big 2>/dev/null || echo full'

      expect(await run(script, { temporary })).toMatchObject(exited(0, 'full\n'))
    })

    promise('the system’s folders are read-only', async () => {
      const tries = ['/usr/x', '/etc/x', '/x', '/bin/x'].map((path) => `touch ${path} 2>/dev/null && echo ${path}`)

      expect(await run(`${tries.join('; ')}; true`)).toMatchObject(exited(0, ''))
    })

    promise('a command is not root and gains no privileges', async () => {
      const end = await run('id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status')

      expect(end.stdout.replaceAll('\t', ' ')).toBe(
        '1000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\n',
      )
    })

    promise('a command has no network besides its own loopback', async () => {
      expect(await run('cat /proc/net/dev | tail -n +3 | cut -d: -f1')).toMatchObject({
        stdout: expect.stringMatching(/^\s*lo\n$/),
      })
    })

    promise('a command sees only its own processes', async () => {
      const end = await run('ls /proc | grep -c "^[0-9]"')

      expect(Number(end.stdout)).toBeLessThan(16)
    })

    promise('ends a command at its timeout, with everything that it started', async () => {
      const mark = `60${runs}.${process.pid}`

      const end = await run(`sleep ${mark} & sleep ${mark}; true`, { timeoutSeconds: 1 })

      expect(end.outcome).toBe('timeout')
      expect(cutShortSentence(end, { timeoutSeconds: 1, memoryMb: 1, diskMb: 1 })).toBe('It ran longer than 1 s.')
      await waitFor('its processes are gone', () => processesWith(mark).length === 0)
    })

    promise('ends a command and everything that it started when the signal is aborted', async () => {
      const stop = new AbortController()
      const mark = `61${runs}.${process.pid}`

      const running = run(`sleep ${mark} & sleep ${mark}; true`, { signal: stop.signal })
      await waitFor('it runs', () => processesWith(mark).length > 0)
      stop.abort()

      expect((await running).outcome).not.toBe('exited')
      await waitFor('its processes are gone', () => processesWith(mark).length === 0)
    })

    promise('runs nothing for a signal that was aborted before', async () => {
      const mark = `62${runs}.${process.pid}`

      const end = await run(`sleep ${mark}`, { signal: AbortSignal.abort(), timeoutSeconds: 600 })

      expect(end.outcome).not.toBe('exited')
      await waitFor('nothing runs', () => processesWith(mark).length === 0)
    })

    promise('ends what a command leaves behind in the background', async () => {
      const mark = `63${runs}.${process.pid}`

      expect(await run(`sleep ${mark} & echo done`)).toMatchObject(exited(0, 'done\n'))
      await waitFor('its processes are gone', () => processesWith(mark).length === 0)
    })

    promise('reports a command that does not exist with the exit code of a shell', async () => {
      expect(await run('no-such-program')).toMatchObject({ outcome: 'exited', code: 127, stdout: '' })
    })

    promise('keeps the last 64 kB of each output', async () => {
      const end = await run('i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done')

      expect(end.stdout.length).toBe(64 * 1024)
      expect(end.stdout).toMatch(/line 19999\n$/)
    })

    promise('replaces NUL in output, which PostgreSQL cannot store', async () => {
      expect(await run("printf 'a\\000b'")).toMatchObject(exited(0, 'a\uFFFDb'))
    })

    promise('ends a command that takes more memory than it has', async () => {
      const end = await run('exec 2>/dev/null; head -c 400m /dev/zero | tail -c 400m | wc -c', { memoryMb: 64 })

      expect(Number(end.stdout)).toBeLessThan(400 * 1024 * 1024)
    })

    promise('limits the number of processes', async () => {
      const end = await run('i=0; while [ $i -lt 300 ]; do sleep 5 & i=$((i+1)); done 2>&1; echo end')

      expect(end.stdout).toMatch(/fork|[Rr]esource|retry/)
    })

    promise('runs twenty commands at once', async () => {
      const ends = await Promise.all(Array.from({ length: 20 }, (_, at) => run(`echo ${at}`)))

      expect(ends.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}\n`))
    })

    test('each unsupported promise exists', () => {
      expect(unsupported.filter((name) => !named.has(name))).toEqual([])
    })
  })
