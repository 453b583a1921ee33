import { z } from 'zod'
import { CoreEvent, input, Metadata } from '../resource.ts'

const Spec = z.object({
  region: z.string().max(63).optional(),
  /** Gigabytes. */
  size: z.int().min(1).max(1_048_576).optional(),
})

/** Persistent storage for agents, functions and sandboxes. */
export const DriveInput = input(Spec)
export type DriveInput = z.input<typeof DriveInput>

export const Drive = z.object({
  metadata: Metadata,
  spec: Spec.extend({ infrastructureId: z.string() }),
  events: z.array(CoreEvent),
  state: z.object({ s3Url: z.string() }),
  status: z.string(),
})
export type Drive = z.infer<typeof Drive>

export const DriveDeleted = z.object({ name: z.string(), message: z.string() })
