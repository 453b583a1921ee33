import { setTimeout as pause } from 'node:timers/promises'
import { type EngineRun, type KeptContainer, notStarted, type RunEnd } from '../../domain/engine.ts'
import { pausing } from '../engines/output-pauses.ts'
import { stopOf } from '../engines/stop-run.ts'
import { outputTail } from '../output-tail.ts'
import { channels, send } from './channels.ts'
import type { KubernetesApi, Socket } from './kubernetes-api.ts'
import { containerName } from './pod-settings.ts'
import type { OwnPods } from './pods.ts'
import { noAnswer } from './problems.ts'

/**
 * The first line of the input has the command, its variables and its folder, because addresses of requests are logged
 * and have a maximum length. `causeway_bytes` is the length of the command's input. A reader then waits for the end of
 * the connection and kills the process group: at a timeout, and when this process or its connection dies. After the
 * command, the rest of its session is killed, because the server waits until every output is closed. The outputs stay
 * open until then, because containerd ends the input when the first output is closed.
 */
export const starter = `causeway_n='
'
IFS= read -r causeway_line || exit 125
eval "$causeway_line"
exec 3<&0 </dev/null
if [ "$causeway_bytes" = 0 ]; then
  (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
  "$@" 3<&-
else
  { head -c "$causeway_bytes" <&3 2>/dev/null; (cat <&3 && kill -KILL 0) >/dev/null 2>&1 & } | "$@" 3<&-
fi
causeway_code=$?
exec 4>&2 2>/dev/null
for causeway_p in /proc/[0-9]*; do
  [ "$causeway_p" = "/proc/$$" ] && continue
  read -r causeway_s <"$causeway_p/stat" || continue
  set -- \${causeway_s##*) }
  [ "$4" = $$ ] && kill -KILL "\${causeway_p#/proc/}"
done
exit $causeway_code`

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll('\n', `'"$causeway_n"'`)}'`

type Started = Pick<EngineRun, 'command' | 'env' | 'workingFolder' | 'stdin'>

export const lineOf = ({ command, env, workingFolder, stdin }: Started): string =>
  [
    `causeway_bytes=${Buffer.byteLength(stdin)}`,
    `set -- ${command.map(quoted).join(' ')}`,
    ...(workingFolder === undefined ? [] : [`cd ${quoted(workingFolder)} || exit 126`]),
    ...Object.entries(env)
      .filter(([name]) => name !== 'HOME')
      .map(([name, value]) => `export ${name}=${quoted(value)}`),
  ].join('; ')

type Parts = { api: KubernetesApi; pods: OwnPods }

/** Retries: the stream of a container that has just ended may open, and no command starts. */
export async function execInPod(parts: Parts, run: EngineRun, kept: KeptContainer): Promise<RunEnd> {
  for (let attempts = 1; attempts < maxOpenings; attempts++) {
    const end = await execOnce(parts, run, kept)
    if (end !== 'not created') return end
    await pause(250 * 2 ** attempts)
  }
  return notStarted('unavailable', noAnswer)
}

async function execOnce(parts: Parts, run: EngineRun, kept: KeptContainer): Promise<RunEnd | 'not created'> {
  const tails = { stdout: outputTail(run.outputBytes), stderr: outputTail(run.outputBytes) }
  const outputs = () => ({ stdout: tails.stdout.text(), stderr: tails.stderr.text() })
  let socket: Socket | undefined
  const pauseAfter = pausing(() => socket)
  const status = statusIn((channel, chunk) => {
    const output = channel === channels.stderr ? 'stderr' : 'stdout'
    tails[output].add(chunk)
    run.onOutput?.(output, chunk)
    pauseAfter(chunk.length)
  })
  const opened = await open(parts, kept, status.onFrame)
  if ('problem' in opened) return notStarted('unavailable', opened.problem)
  socket = opened.socket
  const { stopped, close } = stopOf(run)
  try {
    socket.once('close', status.onClose)
    send(socket, `${lineOf(run)}\n${run.stdin}`)
    const end = await Promise.race([stopped, status.ended])
    if (end === 'not created') return end
    if (end === undefined) return { ...notStarted('unavailable', lost), ...outputs() }
    return typeof end === 'number'
      ? { outcome: 'exited', code: end, ...outputs() }
      : { ...notStarted(end), ...outputs() }
  } finally {
    socket.terminate()
    close()
  }
}

const maxOpenings = 5

/** Retries: a pod may be reported as running for a second after its end. No command starts before the stream opens. */
async function open({ api, pods }: Parts, kept: KeptContainer, onFrame: (channel: number, chunk: Buffer) => void) {
  const call = { pod: pods.nameOf({ kind: 'kept', id: kept.id }), action: 'exec', query: execQuery() } as const
  for (let attempts = 0; attempts < maxOpenings; attempts++) {
    const { problem } = await pods.keep(kept)
    if (problem !== undefined) return { problem }
    const socket = await api.openSocket(call, onFrame).catch(() => undefined)
    if (socket) return { socket }
    await pause(250 * 2 ** attempts)
  }
  return { problem: noAnswer }
}

const lost = 'The connection to the cluster was lost while the command ran, so it was ended.'

function execQuery(): URLSearchParams {
  const query = new URLSearchParams({ container: containerName, stdin: 'true', stdout: 'true', stderr: 'true' })
  for (const word of ['/bin/sh', '-c', starter, 'workload']) query.append('command', word)
  return query
}

type Ended = number | 'not created' | undefined

/** Resolves to the exit code, or to undefined if the connection ends without one. */
function statusIn(onOutput: (channel: number, chunk: Buffer) => void) {
  let end: (code: Ended) => void
  const ended = new Promise<Ended>((resolve) => {
    end = resolve
  })
  return {
    ended,
    onClose: () => end(undefined),
    onFrame(channel: number, chunk: Buffer) {
      if (channel === channels.status) end(codeOf(chunk.toString()))
      else onOutput(channel, chunk)
    },
  }
}

type Status = { status?: string; message?: string; details?: { causes?: Array<{ reason?: string; message?: string }> } }

/** Of containerd 1.6 and runc 1.1. */
const notCreated = /failed to (load task|create exec|start exec)|cannot exec in a (stopped|deleted)/

function codeOf(text: string): Ended {
  try {
    const { status, message = '', details } = JSON.parse(text) as Status
    if (notCreated.test(message)) return 'not created'
    if (status === 'Success') return 0
    const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
    return code === undefined ? undefined : Number(code)
  } catch {
    return undefined
  }
}
