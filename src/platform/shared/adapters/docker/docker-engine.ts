import { within } from '../../../../kit/process/background-work.ts'
import { type Engine, notStarted } from '../../domain/engine.ts'
import { containersOf } from './containers.ts'
import { openDockerApi } from './docker-api.ts'
import { runInKept } from './run-in-kept.ts'
import { runOnce } from './run-once.ts'

type Options = {
  url: string
  /** Tells containers of this platform from others on the engine. */
  owner: string
  /** Runs what has no image. */
  commands: Engine
}

/** Runs images by Docker's API, which Podman serves as well. */
export function dockerEngine({ url, owner, commands }: Options): Engine {
  const api = openDockerApi(url)
  const parts = { api, owner, containers: containersOf(api, owner) }
  return {
    kind: 'docker',
    problem: async () => {
      const answer = await within(api.ping(), maxPingMs).catch(() => undefined)
      return answer === undefined ? noAnswer : undefined
    },
    async run(run) {
      if (run.in === undefined) return commands.run(run)
      if (run.door) return notStarted('unavailable', noAccounts)
      if (run.signal.aborted) return notStarted('signalled')
      const end = 'image' in run.in ? runOnce(parts, run, run.in.image) : runInKept(parts, run, run.in.kept)
      return end.catch(() => notStarted('unavailable', noAnswer))
    },
    containers: parts.containers,
  }
}

const maxPingMs = 2_000

const noAnswer = 'The container engine of this platform failed or did not answer. Try again later.'

const noAccounts =
  'Commands in containers cannot use accounts: remove spec.functions, or use a sandbox without an image.'
