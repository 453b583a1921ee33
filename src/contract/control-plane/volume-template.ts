import { z } from 'zod'
import { input, plain } from '../resource.ts'

const Spec = z.object({
  description: z.string().max(1_024).optional(),
  /** Megabytes; the size of a volume made from the template when it names none. */
  defaultSize: z.int().min(1).max(1_073_741_824).optional(),
})

export const VolumeTemplateInput = input(Spec)
export const VolumeTemplate = plain(Spec)
export type VolumeTemplate = z.infer<typeof VolumeTemplate>
