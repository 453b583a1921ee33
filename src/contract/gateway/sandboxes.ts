import { z } from 'zod'
import { StorageMount } from '../control-plane/runtime.ts'

export const SandboxFile = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int(),
  lastModified: z.iso.datetime(),
})

/** A folder with what is in it, one step down. */
export const FolderListing = z.object({
  path: z.string(),
  name: z.string(),
  files: z.array(SandboxFile),
  subdirectories: z.array(z.object({ path: z.string(), name: z.string() })),
  /** Set where there is more than is shown, here or further down. */
  truncated: z.literal(true).optional(),
})

/** A folder with what is in it, all the way down. */
export const FolderTree = FolderListing.extend({
  get subdirectories() {
    return z.array(FolderTree)
  },
})
export type FolderTree = z.infer<typeof FolderTree>

/** A drive to mount while the sandbox runs. */
export const DriveMount = StorageMount
export type DriveMount = z.infer<typeof DriveMount>

/** The drives that a sandbox has. */
export const SandboxDrives = z.object({ drives: z.array(DriveMount) })
