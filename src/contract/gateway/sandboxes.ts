import { z } from 'zod'
import { StorageMount } from '../control-plane/runtime.ts'

export const SandboxFile = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int(),
  lastModified: z.iso.datetime(),
})

export const FolderListing = z.object({
  path: z.string(),
  name: z.string(),
  files: z.array(SandboxFile),
  subdirectories: z.array(z.object({ path: z.string(), name: z.string() })),
  truncated: z.literal(true).optional(),
})

export const FolderTree = FolderListing.extend({
  get subdirectories() {
    return z.array(FolderTree)
  },
})
export type FolderTree = z.infer<typeof FolderTree>

export const DriveMount = StorageMount
export type DriveMount = z.infer<typeof DriveMount>

export const SandboxDrives = z.object({ drives: z.array(DriveMount) })
