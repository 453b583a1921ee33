import { z } from 'zod'
import { Flag } from '../query.ts'
import { deployed, input } from '../resource.ts'
import { VolumeMount, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({
  githubRunner: z.object({ repositories: z.union([z.string(), z.array(z.string())]).optional() }).optional(),
  volumes: z.array(VolumeMount).max(50).default([]),
})

/** Parallel tasks with retries and timeouts. */
export const JobInput = input(Spec)
export type JobInput = z.input<typeof JobInput>

export const Job = deployed(Spec)
export type Job = z.infer<typeof Job>

/** Secret values are shown to workspace admins, and to them only when they ask. */
export const JobQuery = z.object({ show_secrets: Flag })
