import { z } from 'zod'
import { CoreEvent, input, Metadata } from '../resource.ts'

const Spec = z.object({
  region: z.string().max(63).optional(),
  /** Megabytes. */
  size: z.int().min(1).max(1_073_741_824).optional(),
  /** A reference to a volume template. */
  template: z.string().max(128).optional(),
})

/** Persistent storage for sandboxes; it outlives them. */
export const VolumeInput = input(Spec)
export type VolumeInput = z.input<typeof VolumeInput>

export const Volume = z.object({
  metadata: Metadata,
  spec: Spec.extend({ infrastructureId: z.string() }),
  events: z.array(CoreEvent),
  /** `sandbox:<name>`, or empty. */
  state: z.object({ attachedTo: z.string() }),
  status: z.string(),
  terminatedAt: z.iso.datetime().optional(),
})
export type Volume = z.infer<typeof Volume>
