import { z } from 'zod'
import { deployed, input, ResourceName } from '../resource.ts'
import { WorkloadSpec } from './runtime.ts'

const Mount = z.object({
  name: ResourceName,
  mountPath: z
    .string()
    .max(1_024)
    .regex(/^(?!\/*$)(?!(.*\/)?\.{1,2}(\/|$))[^\0\\]+$/, 'must name a folder inside, without . or ..'),
  readOnly: z.boolean().default(false),
})

const Spec = WorkloadSpec.extend({
  /** Volumes of the same workspace; a volume is attached to one sandbox at a time. */
  volumes: z.array(Mount).max(50).default([]),
  drives: z.array(Mount).max(50).default([]),
})

export const SandboxInput = input(Spec)
export const Sandbox = deployed(Spec)
export type Sandbox = z.infer<typeof Sandbox>
