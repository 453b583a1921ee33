import { z } from 'zod'

/** `previousActive`: the revision that was active when the newest one was accepted. */
export const RevisionMetadata = z.object({
  id: z.string(),
  active: z.boolean(),
  canary: z.boolean(),
  previousActive: z.boolean(),
  status: z.string(),
  trafficPercent: z.int(),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
})
export type RevisionMetadata = z.infer<typeof RevisionMetadata>
