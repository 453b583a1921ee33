// Settings of containers in the Docker API (https://docs.docker.com/reference/api/engine/, version 1.41).
import { availableParallelism } from 'node:os'
import type Docker from 'dockerode'
import type { EngineRun, KeptContainer } from '../../domain/engine.ts'
import { accountId, homeFolder, maxProcesses } from '../confinement/bubblewrap.ts'
import { coresFor } from '../confinement/confinement.ts'
import { serverEnv, waiting } from '../engines/own-containers.ts'

const bytesPerMb = 1024 * 1024

const tmpfs = (maxMb: number, readOnly = false) => `${readOnly ? 'ro' : 'rw'},nosuid,nodev,mode=1777,size=${maxMb}m`

const inMemory = (memoryMb: number) => tmpfs(Math.min(memoryMb, 256) / 4)

/** `volumes` are the folders that the image declares with `VOLUME`. */
export type FetchedImage = { imageId: string; volumes: string[] }

type Limited = { image: string; volumes: readonly string[]; memoryMb: number; env: Readonly<Record<string, string>> }

/** Folders that the image declares with `VOLUME`. Otherwise the engine creates a volume without a limit for each. */
const inMemoryFolders = ({ volumes, memoryMb }: Limited, own: readonly string[]) =>
  Object.fromEntries(
    [...own, ...volumes.filter((path) => !isReserved(path, own))].map((path) => [path, inMemory(memoryMb)]),
  )

const isReserved = (path: string, own: readonly string[]): boolean =>
  !/^(\/[^/]+)+$/.test(path) ||
  /^\/(proc|sys|dev)(\/|$)/.test(path) ||
  [...own, volumeFolder, homeFolder].includes(path)

export const environmentOf = (env: Limited['env']): string[] =>
  Object.entries({ ...env, HOME: homeFolder }).map(([name, value]) => `${name}=${value}`)

function limited({ image, memoryMb, env }: Limited): Docker.ContainerCreateOptions & { HostConfig: object } {
  return {
    Image: image,
    User: `${accountId}:${accountId}`,
    Hostname: 'workload',
    Tty: false,
    Env: environmentOf(env),
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      Memory: memoryMb * bytesPerMb,
      MemorySwap: memoryMb * bytesPerMb,
      NanoCpus: Math.floor(Math.min(coresFor(memoryMb), availableParallelism()) * 1e9),
      PidsLimit: maxProcesses,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      IpcMode: 'private',
      LogConfig: { Type: 'none', Config: {} },
    },
  }
}

type NewRun = Limited & Pick<EngineRun, 'command' | 'workingFolder' | 'temporary'>

/** Without a command, the image's own runs, in the folder of the image. */
export function runSettings({ command, workingFolder, temporary = [], ...run }: NewRun): Docker.ContainerCreateOptions {
  const settings = limited(run)
  return {
    ...settings,
    ...(command.length > 0 && { Entrypoint: [...command], Cmd: [], WorkingDir: homeFolder }),
    ...(workingFolder !== undefined && { WorkingDir: workingFolder }),
    ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true },
    // Without a size, a log on the disk of the engine has no limit.
    HostConfig: {
      ...settings.HostConfig,
      Tmpfs: {
        ...inMemoryFolders(run, ['/tmp', homeFolder]),
        ...Object.fromEntries(temporary.map(({ at, maxMb, readOnly }) => [at, tmpfs(maxMb, readOnly)])),
      },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
    },
  }
}

export const volumeFolder = '/home'

/** `name` is the engine's name of the volume. */
export type EngineMount = { name: string; at: string; readOnly: boolean }

/** The home folder is in a volume, which survives the container. */
export function keptSettings(
  kept: KeptContainer,
  { imageId: image, volumes }: FetchedImage,
  mounts: readonly EngineMount[],
): Docker.ContainerCreateOptions {
  const { serves, memoryMb } = kept
  const run = { image, volumes, memoryMb, env: serves ? serverEnv(serves) : {} }
  const settings = limited(run)
  const isMounted = (path: string) => mounts.some(({ at }) => at === path)
  return {
    ...settings,
    ...(!serves && { Entrypoint: waiting, Cmd: [], WorkingDir: homeFolder }),
    HostConfig: {
      ...settings.HostConfig,
      Init: true,
      Tmpfs: inMemoryFolders({ ...run, volumes: run.volumes.filter((path) => !isMounted(path)) }, ['/tmp']),
      Mounts: mounts.map(({ name, at, readOnly }) => ({
        ...{ Type: 'volume' as const, Source: name, Target: at, ReadOnly: readOnly },
      })),
    },
  }
}

const blockSize = 512

/** A tar archive with a folder, because engines create volumes for root. Fields of POSIX ustar (pax(1)). */
export function folderArchive(name: 'user/' | './'): Buffer {
  const header = Buffer.alloc(blockSize)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  const write = (at: number, text: string) => header.write(text, at, 'latin1')
  write(0, name)
  write(100, octal(0o700, 8))
  for (const at of [108, 116]) write(at, octal(accountId, 8))
  for (const at of [124, 136]) write(at, octal(0, 12))
  write(148, ' '.repeat(8))
  write(156, '5')
  write(257, 'ustar\x0000')
  const sum = header.reduce((total, byte) => total + byte, 0)
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return Buffer.concat([header, Buffer.alloc(2 * blockSize)])
}
