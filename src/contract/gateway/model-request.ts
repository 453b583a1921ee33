import { z } from 'zod'

/** A model may take more than that; all of it is passed on. */
export const ChatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
})
