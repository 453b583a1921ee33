import type { Place } from './sandbox-path.ts'

export type FileEntry = { name: string; size: number; lastModified: string }

export type FolderEntries = { files: FileEntry[]; folders: string[] }

/** Files of sandboxes. Every function stays inside the folder of its place, and throws a Failure where it cannot. */
export type SandboxFiles = {
  /** The folder of a sandbox, a volume or a drive, made when it is missing. */
  folderOf(kind: 'sandbox' | 'volume' | 'drive', workspace: string, id: string): Promise<string>
  list(place: Place): Promise<FolderEntries | undefined>
  read(place: Place): Promise<string>
  write(place: Place, content: string): Promise<void>
  makeFolder(place: Place): Promise<void>
  remove(place: Place): Promise<void>
}
