import type { FileLocation, Folder } from './sandbox-path.ts'

export type FileEntry = { name: string; size: number; lastModified: string }

/** `cut`: there are more than these. */
export type FolderEntries = { files: FileEntry[]; folders: string[]; cut: boolean }

/** The id is that of the sandbox, the volume or the drive, and is never given to another one. */
export type StoredFolder = { kind: 'sandbox' | 'volume' | 'drive'; workspace: string; id: string }

/** Files of sandboxes. Every function stays inside the folder of its location, and throws a Failure where it cannot. */
export type SandboxFiles = {
  /** The folder of a sandbox, a volume or a drive, made when it is missing. */
  folderOf(kind: StoredFolder['kind'], workspace: string, id: string): Promise<string>
  /** Does nothing if it does not exist. */
  discard(folder: StoredFolder): Promise<void>
  list(location: FileLocation): Promise<FolderEntries | undefined>
  read(location: FileLocation): Promise<Buffer>
  write(location: FileLocation, content: string): Promise<void>
  makeFolder(location: FileLocation): Promise<void>
  /** Returns false if there cannot be a folder: commands may have put a file or a link there. */
  makeMountPoint(location: FileLocation): Promise<boolean>
  remove(location: FileLocation): Promise<void>
}

export type SandboxCommand = {
  workspace: string
  sandbox: string
  /** For a POSIX shell, started in the sandbox's folder. */
  script: string
  folders: readonly Folder[]
  memoryMb: number
  timeoutSeconds: number
  signal: AbortSignal
}

/** `ended` says what ended it before it came to an exit code of its own. The output is the last 64 kB of each. */
export type SandboxCommandEnd = { stdout: string; stderr: string; exitCode?: number; ended?: string }

export type RunSandboxCommand = (command: SandboxCommand) => Promise<SandboxCommandEnd>

/** Folders whose sandbox, volume or drive was deleted, by whom and how ever. */
export type RemovedFolders = { since(time: Date): Promise<StoredFolder[]>; sweep(): Promise<void> }
