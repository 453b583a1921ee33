import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { type EngineRun, type KeptContainer, notStarted, type RunEnd } from '../../domain/engine.ts'
import { stopOf } from '../engines/stop-run.ts'
import { environmentOf } from './container-settings.ts'
import type { OwnContainers } from './containers.ts'
import { type DockerApi, hijacked, timely } from './docker-api.ts'
import { readOutputs } from './read-outputs.ts'

type Parts = { api: DockerApi; containers: OwnContainers }

/**
 * The API can't end a command in a container. So a reader waits for the end of the input, which this process holds open,
 * and then kills the group of the command: at a timeout, and when this process or its connection dies.
 */
const leash = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-'

const leashed = ({ command, stdin }: EngineRun): string[] =>
  stdin === '' ? ['/bin/sh', '-c', leash, 'workload', ...command] : [...command]

/** A command with input ends with its input. Other commands have none, and end with this process. */
export async function runInKept({ api, containers }: Parts, run: EngineRun, kept: KeptContainer): Promise<RunEnd> {
  const { problem } = await containers.keep(kept)
  if (problem !== undefined) return notStarted('unavailable', problem)
  const { stopped, close } = stopOf(run)
  try {
    const exec = await timely((options) =>
      api.getContainer(containers.nameOf({ kind: 'kept', id: kept.id })).exec({
        ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false },
        ...{ Cmd: leashed(run), Env: environmentOf(run.env), ...options },
        ...(run.workingFolder !== undefined && { WorkingDir: run.workingFolder }),
      }),
    )
    const stream = await hijacked(exec.start({ hijack: true, stdin: true }))
    const outputs = readOutputs(stream, run)
    try {
      if (run.stdin !== '') stream.end(run.stdin)
      const cut = await Promise.race([stopped, outputs.ended])
      if (cut) return { ...notStarted(cut), ...outputs.text() }
      const code = await exitCodeOf(exec)
      if (code === undefined) return { ...notStarted('unavailable', lost), ...outputs.text() }
      return { outcome: 'exited', code, ...outputs.text() }
    } finally {
      stream.destroy()
    }
  } finally {
    close()
  }
}

const lost = 'The connection to the container engine was lost while the command ran, so it was ended.'

/** The output ends a moment before the engine knows the code. */
async function exitCodeOf(exec: Docker.Exec): Promise<number | undefined> {
  for (let attempts = 0; attempts < 20; attempts++) {
    const { Running: isRunning, ExitCode: code } = await timely((options) => exec.inspect(options))
    if (!isRunning && code !== null) return code
    await pause(10 * (attempts + 1))
  }
  return undefined
}
