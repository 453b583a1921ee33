import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { sharedCalls } from '../../../../kit/process/shared-calls.ts'
import type { Containers, KeptContainer } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { labels, type Named, nameFor, shapeOf } from '../engines/own-containers.ts'
import { watchAgain } from '../engines/watch-again.ts'
import { type EngineMount, type FetchedImage, folderArchive, keptSettings, volumeFolder } from './container-settings.ts'
import { type DockerApi, statusOf, timely, unlessGone } from './docker-api.ts'

export type OwnContainers = ReturnType<typeof containersOf>

export function containersOf(api: DockerApi, owner: string, rules: ImageRules) {
  const nameOf = (named: Named) => nameFor(owner, named)
  const labelsOf = ({ kind, id }: Named) => ({ [labels.owner]: owner, [labels.kind]: kind, [labels.id]: id })
  const images = imagesOf(api, rules)

  async function create(named: Named, settings: Docker.ContainerCreateOptions, shape = ''): Promise<string> {
    const name = nameOf(named)
    const Labels = { ...labelsOf(named), [labels.shape]: shape }
    await timely((options) => api.createContainer({ ...settings, name, Labels, ...options }))
    return name
  }

  const removeContainer = (name: string) =>
    unlessGone(timely((options) => api.getContainer(name).remove({ force: true, v: true, ...options })))

  /** Creates the volumes. The first one has the home folder. */
  async function volumesOf({ id, mounts = [] }: KeptContainer): Promise<EngineMount[]> {
    const wanted = [
      { named: { kind: 'kept', id } as const, at: volumeFolder, readOnly: false },
      ...mounts.map(({ volume, ...mount }) => ({ named: { kind: 'volume', id: volume } as const, ...mount })),
    ]
    for (const { named } of wanted)
      await timely((options) => api.createVolume({ Name: nameOf(named), Labels: labelsOf(named), ...options }))
    return wanted.map(({ named, at, readOnly }) => ({ name: nameOf(named), at, readOnly }))
  }

  async function start(kept: KeptContainer, image: FetchedImage): Promise<void> {
    const named = { kind: 'kept', id: kept.id } as const
    const name = nameOf(named)
    const container = api.getContainer(name)
    const find = () => unlessGone(timely((options) => container.inspect(options)))
    const shape = shapeOf(kept, image.imageId)
    let found = await find()
    if (found && found.Config.Labels[labels.shape] !== shape) {
      await removeContainer(name)
      found = undefined
    }
    if (found?.State.Running) return
    if (!found) {
      const settings = keptSettings(kept, image, await volumesOf(kept))
      // Another process may create it at the same moment. Docker answers 409 then, Podman 500.
      await create(named, settings, shape).catch(async (error) => {
        if (!(await find())) throw error
      })
    }
    await giveFolders(container, kept)
    await timely((options) => container.start(options)).catch((error) => {
      if (statusOf(error) !== alreadyDone) throw error
    })
  }

  const startOnce = sharedCalls<void>()

  return {
    nameOf,
    create,
    imageId: images.idOf,

    async fetch(image): Promise<{ problem?: string }> {
      const fetched = await images.idOf(image)
      return 'problem' in fetched ? fetched : {}
    },

    imageBytes: images.bytesOf,

    async keep(kept): Promise<{ problem?: string }> {
      const fetched = await images.idOf(kept.image)
      if ('problem' in fetched) return fetched
      return startOnce(`${kept.id} ${shapeOf(kept, fetched.imageId)}`, () => start(kept, fetched)).then(
        () => ({}),
        (error) => ({ problem: statusOf(error) === undefined ? noAnswer : notStartable(kept) }),
      )
    },

    async stop(id) {
      const container = api.getContainer(nameOf({ kind: 'kept', id }))
      await unlessGone(timely((options) => container.stop({ t: stopSeconds, ...options }))).catch((error) => {
        if (statusOf(error) !== alreadyDone) throw error
      })
    },

    async remove(named) {
      const name = nameOf(named)
      if (named.kind !== 'volume') await removeContainer(name)
      if (named.kind !== 'run') {
        await unlessGone(timely((options) => api.getVolume(name).remove({ force: true, ...options } as object)))
      }
    },

    async list() {
      const filters = { label: [`${labels.owner}=${owner}`] }
      const found = await timely((options) => api.listContainers({ all: true, filters, ...options }))
      const containers = found.map((each) => ({
        ...namedBy(each.Labels),
        isRunning: each.State === 'running',
      }))
      const volumes = await timely((options) => api.listVolumes({ filters, ...options } as object))
      // Volumes whose container is gone, for example because a removal was interrupted.
      const left = (volumes.Volumes ?? []).flatMap((each) => {
        const named = namedBy(each.Labels)
        if (containers.some(({ kind, id }) => kind === named.kind && id === named.id)) return []
        return [{ ...named, isRunning: false }]
      })
      return [...containers, ...left]
    },

    async watch(onEnd, signal) {
      const filters = { label: [`${labels.owner}=${owner}`, `${labels.kind}=kept`] }
      await watchAgain(async () => {
        const events = (await api.getEvents({ filters, abortSignal: signal })) as Readable
        // Not a filter of the call: Podman has other names for them there.
        for await (const line of createInterface({ input: events })) if (isEnd(line)) onEnd()
      }, signal)
    },
  } satisfies Containers & Record<string, unknown>
}

/** Engines create volumes for root. */
async function giveFolders(container: Docker.Container, { mounts = [] }: KeptContainer): Promise<void> {
  const give = (folder: 'user/' | './', path: string) =>
    timely((options) => container.putArchive(folderArchive(folder), { path, ...options }))
  await give('user/', volumeFolder)
  for (const { at, readOnly } of mounts) if (!readOnly) await give('./', at)
}

/** Already started or stopped. */
const alreadyDone = 304

const stopSeconds = 5

const isEnd = (line: string) => /"Action":"(die|destroy|remove)"/.test(line)

export const noAnswer = 'The container engine of this platform failed or did not answer. Try again later.'

const notStartable = ({ image, serves }: KeptContainer) =>
  `The container engine could not start the image ${image}. It needs ${serves ? 'a command' : '/bin/sh'}.`

const kinds = ['kept', 'run', 'volume'] as const

const namedBy = (found: Record<string, string> = {}): Named => ({
  kind: kinds.find((kind) => found[labels.kind] === kind) ?? 'run',
  id: found[labels.id] ?? '',
})

const fetchedOf = ({ Id: imageId, Config: config }: Docker.ImageInspectInfo): FetchedImage => ({
  imageId,
  volumes: Object.keys(config.Volumes ?? {}),
})

const notThere = (image: string) =>
  `The container engine has no image ${image}, and this platform does not pull it: its operator can load it, or allow it (ENGINE_IMAGES).`

const maxPullMs = 10 * 60_000

/** Containers are created by the image's digest, so that a moved tag can't change what was checked. */
function imagesOf(api: DockerApi, rules: ImageRules) {
  const inspect = (image: string) => unlessGone(timely((options) => api.getImage(image).inspect(options as object)))
  const pullOnce = sharedCalls<void>()
  const pull = async (image: string): Promise<void> => {
    const progress = await api.pull(image, { abortSignal: AbortSignal.timeout(maxPullMs) })
    await new Promise<void>((resolve, reject) => {
      api.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()))
    })
  }
  return {
    async bytesOf(image: string): Promise<number | undefined> {
      return rules.problem(image) === undefined ? (await inspect(rules.reference(image)))?.Size : undefined
    },

    async idOf(image: string): Promise<FetchedImage | { problem: string }> {
      const problem = rules.problem(image)
      if (problem !== undefined) return { problem }
      const reference = rules.reference(image)
      try {
        const found = await inspect(reference)
        if (found) return fetchedOf(found)
        if (!rules.mayPull(image)) return { problem: notThere(image) }
      } catch {
        return { problem: noAnswer }
      }
      const pulled = await pullOnce(reference, () => pull(reference)).then(
        () => inspect(reference),
        () => undefined,
      )
      if (pulled) return fetchedOf(pulled)
      return { problem: `The container engine could not pull the image ${image}: check its name, or load it there.` }
    },
  }
}
