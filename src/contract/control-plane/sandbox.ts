import { z } from 'zod'
import { deployed, input } from '../resource.ts'
import { Drives, StorageMount, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({
  /** Volumes of the same workspace; a volume is attached to one sandbox at a time. */
  volumes: z.array(StorageMount).max(50).default([]),
  drives: Drives,
})

export const SandboxInput = input(Spec)
export const Sandbox = deployed(Spec)
export type Sandbox = z.infer<typeof Sandbox>
