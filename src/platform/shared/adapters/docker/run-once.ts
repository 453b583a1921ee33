import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { within } from '../../../../kit/process/background-work.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { type EngineRun, notStarted, type RunEnd } from '../../domain/engine.ts'
import { stopOf } from '../engines/stop-run.ts'
import { runSettings } from './container-settings.ts'
import type { OwnContainers } from './containers.ts'
import { attachTo, type DockerApi, statusOf, timely, unlessGone } from './docker-api.ts'
import { type Outputs, readOutputs } from './read-outputs.ts'

type Parts = { api: DockerApi; containers: OwnContainers }

/** Runs a container to its end and removes it. If this process dies, the container is collected later. */
export async function runOnce({ api, containers }: Parts, run: EngineRun, image: string): Promise<RunEnd> {
  const fetched = await containers.imageId(image)
  if ('problem' in fetched) return notStarted('unavailable', fetched.problem)
  const { id, command, env, workingFolder, temporary, memoryMb } = run
  const { stopped, close } = stopOf(run)
  try {
    const settings = runSettings({
      image: fetched.imageId,
      volumes: fetched.volumes,
      command,
      env,
      workingFolder,
      temporary,
      memoryMb,
    })
    const name = await containers.create({ kind: 'run', id }, settings)
    return await attached(api, api.getContainer(name), run, stopped)
  } finally {
    close()
    // Also after a failure: the engine may have created it and answered too late.
    await containers.remove({ kind: 'run', id }).catch(ignoreError('the collection of orphans removes it'))
  }
}

async function attached(
  api: DockerApi,
  container: Docker.Container,
  run: EngineRun,
  stopped: Promise<RunEnd['outcome']>,
): Promise<RunEnd> {
  const stream = await attachTo(api, container.id)
  const outputs = readOutputs(stream, run)
  const waiting = new AbortController()
  try {
    const refused = await timely((options) => container.start(options)).then(() => undefined, refusalOf)
    if (refused) return refused
    stream.end(run.stdin)
    const exit = exitOf(container, waiting.signal)
    const end = await Promise.race([stopped, exit])
    if (typeof end === 'string') return { ...notStarted(end), ...outputs.text() }
    await within(outputs.ended, leftOpenMs)
    return { ...end, ...longer(outputs.text(), await loggedBy(container, run.outputBytes)) }
  } finally {
    waiting.abort()
    stream.destroy()
  }
}

type Texts = ReturnType<Outputs['text']>

/** Podman may attach after a short command has ended (seen with 4.3). The log lacks the start of a long output. */
const longer = (attached: Texts, logged: Texts): Texts => ({
  stdout: logged.stdout.length > attached.stdout.length ? logged.stdout : attached.stdout,
  stderr: logged.stderr.length > attached.stderr.length ? logged.stderr : attached.stderr,
})

async function loggedBy(container: Docker.Container, outputBytes: number | undefined): Promise<Texts> {
  const none = { stdout: '', stderr: '' }
  return timely(async (options) => {
    const log = await container.logs({ follow: true, stdout: true, stderr: true, ...options })
    const outputs = readOutputs(log as Duplex, { outputBytes })
    await outputs.ended
    return outputs.text()
  }).catch(() => none)
}

/** For output that is still on its way when the container has ended. */
const leftOpenMs = 1_000

/** The engine answered that it cannot start the command, for example because its program does not exist. */
function refusalOf(error: unknown): RunEnd {
  const status = statusOf(error)
  if (status === undefined) throw error
  return notStarted('not_started')
}

type Exit = Omit<RunEnd, 'stdout' | 'stderr'>

/** Asks again after a lost connection: the container goes on without it. */
async function exitOf(container: Docker.Container, signal: AbortSignal): Promise<Exit> {
  for (let attempts = 0; !signal.aborted; attempts++) {
    await container.wait({ abortSignal: signal }).catch(ignoreError('its state says whether it ended'))
    const state = await stateOf(container)
    if (state === 'gone') return { outcome: 'signalled', code: undefined }
    if (state?.Status === 'exited' || state?.Status === 'dead' || state?.Status === 'stopped') {
      const isOut = state.OOMKilled && state.ExitCode !== 0
      return { outcome: isOut ? 'out_of_memory' : 'exited', code: state.ExitCode }
    }
    await pause(Math.min(50 * 2 ** attempts, maxPauseMs), undefined, { signal }).catch(ignoreError('it was stopped'))
  }
  return { outcome: 'signalled', code: undefined }
}

const maxPauseMs = 5_000

/** Undefined if the engine does not answer. */
const stateOf = (container: Docker.Container) =>
  unlessGone(timely((options) => container.inspect(options))).then(
    (found) => (found === undefined ? ('gone' as const) : found.State),
    () => undefined,
  )
