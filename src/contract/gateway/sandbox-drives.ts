import { z } from 'zod'
import { StorageMount } from '../control-plane/runtime.ts'

/** A drive to mount while the sandbox runs. */
export const DriveMount = StorageMount
export type DriveMount = z.infer<typeof DriveMount>

/** The drives that a sandbox has. */
export const SandboxDrives = z.object({ drives: z.array(DriveMount) })
