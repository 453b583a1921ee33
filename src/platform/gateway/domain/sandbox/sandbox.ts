import type { Secret } from '../../../../kit/crypto/secret.ts'
import type { AccountDoor } from '../../../shared/domain/account-door.ts'
import type { EngineRun, KeptContainer } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { Headers, Mount, Serve, Workload, WorkloadAnswer, WorkloadRequest } from '../workload.ts'
import { type FileLocation, type Folder, pathOf, stepsOf } from './sandbox-path.ts'

export type FileEntry = { name: string; size: number; lastModified: string }

export type FolderEntries = { files: FileEntry[]; folders: string[]; cut: boolean }

/** IDs are never reused. */
export type StoredFolder = { kind: 'sandbox' | 'volume' | 'drive'; workspace: string; id: string }

/** All functions stay inside the folder of the location and throw a Failure on errors. */
export type SandboxFiles = {
  folderOf(kind: StoredFolder['kind'], workspace: string, id: string): Promise<string>
  discard(folder: StoredFolder): Promise<void>
  list(location: FileLocation): Promise<FolderEntries | undefined>
  /** Rejects a larger file. */
  read(location: FileLocation, maxBytes: number): Promise<Buffer>
  write(location: FileLocation, content: string | Uint8Array): Promise<void>
  append(location: FileLocation, content: Uint8Array): Promise<void>
  makeFolder(location: FileLocation): Promise<void>
  /** Creates a folder without following links. Returns false if a command has put a file or link there. */
  makeMountPoint(location: FileLocation): Promise<boolean>
  remove(location: FileLocation): Promise<void>
}

export const tooLarge = (maxBytes: number): Failure =>
  new Failure('body_too_large', `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`)

export const noPorts = (): Failure =>
  new Failure('input_invalid', 'Ports need a sandbox with an image, on an engine that connects to ports.')

/** Sandboxes with and without an image have these. */
export type ToolFiles = Pick<SandboxFiles, 'list' | 'read' | 'write' | 'append' | 'makeFolder' | 'remove'>

/** By paths in the sandbox. */
export type OpenFiles = {
  read(path: string, maxBytes: number): Promise<Buffer>
  write(path: string, content: string | Uint8Array): Promise<void>
  append(path: string, content: Uint8Array): Promise<void>
  makeFolder(path: string): Promise<void>
  remove(path: string): Promise<void>
}

/** A tree includes all levels, a listing one. */
export type Listing = { path: string; name: string; files: object[]; subdirectories: object[]; truncated?: true }

/** Requests to a port of a container. */
export type SandboxPorts = {
  serve(kept: KeptContainer, port: number): Serve
  /** A WebSocket handshake. A server that declines it has a response. */
  shakeHands(kept: KeptContainer, port: number, request: Handshake): Promise<WorkloadTunnel | WorkloadAnswer>
}

export type Handshake = Pick<WorkloadRequest, 'path' | 'headers' | 'signal'>

export type WorkloadTunnel = { headers: Headers; tunnel: NodeJS.ReadWriteStream }

export type OpenSandbox = {
  sandbox: Workload
  /** Undefined for one whose commands run on the machine of the platform. */
  kept: KeptContainer | undefined
  list(path: string, deep: boolean): Promise<Listing>
  files: OpenFiles
  run(command: NewCommand): Promise<SandboxCommandEnd>
}

export type NewCommand = Pick<
  SandboxCommand,
  'kind' | 'script' | 'timeoutSeconds' | 'signal' | 'workingFolder' | 'onOutput'
> & { env?: Readonly<Record<string, string>> }

export type SandboxCommand = {
  /** Processes have a separate limit, because they may run for hours. */
  kind: 'command' | 'process'
  workspace: string
  sandbox: string
  /** Undefined for one whose commands run on the machine of the platform. */
  kept: KeptContainer | undefined
  script: string
  env: Secret<Record<string, string>>
  folders: readonly Folder[]
  memoryMb: number
  timeoutSeconds: number
  signal: AbortSignal
  workingFolder?: string | undefined
  onOutput?: EngineRun['onOutput']
  door: AccountDoor | undefined
}

export type SandboxCommandEnd = { stdout: string; stderr: string; exitCode?: number; ended?: string }

export type RunSandboxCommand = (command: SandboxCommand) => Promise<SandboxCommandEnd>

/** Of all processes of the platform. */
export type SandboxUses = {
  /** At most every `noteEveryMs`. Waits until a stop has ended. */
  note(sandbox: string): Promise<void>
  idle(): Promise<string[]>
  /** False if it is used, or another process stops it. Otherwise, uses wait for `endStop`. */
  claimStop(sandbox: string): Promise<boolean>
  endStop(sandbox: string): Promise<void>
}

export const noteEveryMs = 10_000

export type RemovedFolders = { since(time: Date): Promise<StoredFolder[]>; sweep(): Promise<void> }

const maxDrives = 50

type MountedDrive = Pick<Workload, 'volumes' | 'drives'>

/** Idempotent: mounting the same drive again returns the drives unchanged. */
export function withDrive({ volumes, drives }: MountedDrive, mount: Mount): Mount[] {
  const there = [...drives, ...volumes].find((each) => isAt(each, mount.mountPath))
  if (there && drives.includes(there) && there.name === mount.name && there.readOnly === mount.readOnly) return drives
  if (there) throw new Failure('resource_in_use', `${normal(mount.mountPath)} is already a mount point.`)
  if (drives.length >= maxDrives) throw new Failure('input_invalid', `A sandbox can have at most ${maxDrives} drives.`)
  return [...drives, mount]
}

export function withoutDrive({ drives }: MountedDrive, path: string): Mount[] {
  const others = drives.filter((each) => !isAt(each, path))
  if (others.length === drives.length) throw new Failure('route_unknown', `No drive is mounted at ${normal(path)}.`)
  return others
}

const normal = (path: string) => pathOf(stepsOf(path))

const isAt = ({ mountPath }: Mount, path: string) => normal(mountPath) === normal(path)
