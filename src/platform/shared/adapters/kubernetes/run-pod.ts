import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { type EngineRun, notStarted, type RunEnd } from '../../domain/engine.ts'
import { stopOf } from '../engines/stop-run.ts'
import { outputTail } from '../output-tail.ts'
import { sendInput } from './channels.ts'
import type { KubernetesApi } from './kubernetes-api.ts'
import { containerName, runPod } from './pod-settings.ts'
import { exitOf } from './pod-state.ts'
import type { OwnPods } from './pods.ts'
import { noAnswer, problemOf, refusalOf } from './problems.ts'
import { timeLimit } from './time-limit.ts'

type Parts = { api: KubernetesApi; pods: OwnPods }

/** Pulling the image and finding a node may take this long. */
const maxStartSeconds = 600

/** Runs a pod to its end and removes it. If this process dies, the pod is collected later. */
export async function runOnce({ api, pods }: Parts, run: EngineRun, image: string): Promise<RunEnd> {
  const problem = pods.images.problem(image) ?? (await pods.policyProblem())
  if (problem !== undefined) return notStarted('unavailable', problem)
  const { id, command, env, workingFolder, temporary, memoryMb, diskMb, stdin, timeoutSeconds } = run
  const spec = runPod({
    ...{ image: pods.images.reference(image), mayPull: pods.images.mayPull(image) },
    ...{ command, env, workingFolder, temporary, memoryMb, diskMb },
    hasInput: stdin !== '',
    // Ends the pod if this process dies and no other process removes it.
    maxSeconds: timeoutSeconds + 2 * maxStartSeconds,
  })
  try {
    if (!(await pods.createRun(id, spec))) return notStarted('unavailable', noAnswer)
    return await started({ api, pods }, run, image)
  } catch (error) {
    return notStarted('unavailable', refusalOf(error, image).problem)
  } finally {
    // Also after a failure: the server may have created it and answered too late.
    await pods.remove({ kind: 'run', id }).catch(ignoreError('the collection of orphans removes it'))
  }
}

async function started(parts: Parts, run: EngineRun, image: string): Promise<RunEnd> {
  const name = parts.pods.nameOf({ kind: 'run', id: run.id })
  const limit = timeLimit(maxStartSeconds * 1_000, run.signal)
  const start = await parts.pods.awaitStart(name, () => undefined, limit.signal).finally(limit.close)
  if (run.signal.aborted) return notStarted('signalled')
  if (start === 'gone') return notStarted('signalled')
  if (start === 'not startable') return notStarted('not_started')
  const { problem } = problemOf(start, image, ['running', 'ended'])
  return problem === undefined ? toItsEnd(parts, run, name) : notStarted('unavailable', problem)
}

async function toItsEnd({ api, pods }: Parts, run: EngineRun, name: string): Promise<RunEnd> {
  const { stopped, close } = stopOf(run)
  const over = new AbortController()
  const input = run.stdin === '' ? undefined : sendInput(api, name, run.stdin, over.signal)
  try {
    const exit = pods.until(name, exitOf, over.signal)
    const end = await Promise.race([stopped, exit, input?.lost(exit)].filter((each) => each !== undefined))
    if (end === 'lost') return notStarted('unavailable', noAnswer)
    const outputs = await outputsOf(api, name, run.outputBytes)
    return typeof end === 'object' ? { ...end, ...outputs } : { ...notStarted(end ?? 'signalled'), ...outputs }
  } finally {
    over.abort()
    close()
  }
}

/** The log of a pod has both outputs. If it can't be read, the output is empty. */
async function outputsOf(api: KubernetesApi, name: string, maxBytes: number | undefined) {
  for (let attempts = 0; attempts < maxLogAttempts; attempts++) {
    const tail = outputTail(maxBytes)
    const isRead = await api.readLog(name, containerName, tail.add).then(
      () => true,
      () => false,
    )
    if (isRead) return { stdout: tail.text(), stderr: '' }
    await pause(100 * 2 ** attempts)
  }
  return { stdout: '', stderr: '' }
}

const maxLogAttempts = 7
