import { z } from 'zod'
import { CoreEvent, input, Metadata, plain } from '../resource.ts'

const DriveSpec = z.object({
  region: z.string().max(63).optional(),
  size: z.int().min(1).max(1_048_576).optional(),
})

export const DriveInput = input(DriveSpec)
export type DriveInput = z.input<typeof DriveInput>

export const Drive = z.object({
  metadata: Metadata,
  spec: DriveSpec.extend({ infrastructureId: z.string() }),
  events: z.array(CoreEvent),
  state: z.object({ s3Url: z.string() }),
  status: z.string(),
})
export type Drive = z.infer<typeof Drive>

export const DriveDeleted = z.object({ name: z.string(), message: z.string() })

const VolumeSpec = z.object({
  region: z.string().max(63).optional(),
  size: z.int().min(1).max(1_073_741_824).optional(),
  template: z.string().max(128).optional(),
})

export const VolumeInput = input(VolumeSpec)
export type VolumeInput = z.input<typeof VolumeInput>

export const Volume = z.object({
  metadata: Metadata,
  spec: VolumeSpec.extend({ infrastructureId: z.string() }),
  events: z.array(CoreEvent),
  /** `sandbox:<name>`, or empty. */
  state: z.object({ attachedTo: z.string() }),
  status: z.string(),
  terminatedAt: z.iso.datetime().optional(),
})
export type Volume = z.infer<typeof Volume>

const VolumeTemplateSpec = z.object({
  description: z.string().max(1_024).optional(),
  /** Megabytes. Default size of volumes created from the template. */
  defaultSize: z.int().min(1).max(1_073_741_824).optional(),
})

export const VolumeTemplateInput = input(VolumeTemplateSpec)
export const VolumeTemplate = plain(VolumeTemplateSpec)
export type VolumeTemplate = z.infer<typeof VolumeTemplate>
