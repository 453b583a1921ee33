import { within } from '../../../../kit/process/background-work.ts'
import { noAccountsInContainers } from '../../domain/account-door.ts'
import { type Engine, notStarted } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { connectPort } from './connect-port.ts'
import { containersOf, noAnswer } from './containers.ts'
import { openDockerApi } from './docker-api.ts'
import { runInKept } from './run-in-kept.ts'
import { runOnce } from './run-once.ts'

type Options = {
  url: string
  /** Tells containers of this platform from others on the engine. */
  owner: string
  images: ImageRules
  /** Runs what has no image. */
  commands: Engine
}

/** Runs images by Docker's API, which Podman serves as well. */
export function dockerEngine({ url, owner, images, commands }: Options): Engine {
  const api = openDockerApi(url)
  const parts = { api, owner, containers: containersOf(api, owner, images) }
  return {
    kind: 'docker',
    problem: async () => {
      const answer = await within(api.ping(), maxPingMs).catch(() => undefined)
      return answer === undefined ? noAnswer : undefined
    },
    async run(run) {
      if (run.in === undefined) return commands.run(run)
      if (run.door) return notStarted('unavailable', noAccountsInContainers)
      if (run.signal.aborted) return notStarted('signalled')
      const end = 'image' in run.in ? runOnce(parts, run, run.in.image) : runInKept(parts, run, run.in.kept)
      return end.catch(() => notStarted('unavailable', noAnswer))
    },
    containers: { ...parts.containers, mountsVolumes: true, connect: (kept, port) => connectPort(parts, kept, port) },
  }
}

const maxPingMs = 2_000
