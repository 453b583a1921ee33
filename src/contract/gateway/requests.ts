// What is asked of deployed models and agents, and how a callback is told what an agent answered later.
import { z } from 'zod'
import { Flag } from '../query.ts'

/** A model may take more than that; all of it is passed on. */
export const ChatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
})

/** An agent may take more than that; all of it is passed on. */
export const AgentRequest = z.looseObject({ inputs: z.string() })

/** With `async=true` the answer goes to the callback of the agent's trigger. */
export const AgentQuery = z.object({ async: Flag })

export const AgentAccepted = z.object({ success: z.literal(true) })

/** What is sent to a callback. */
export const CallbackBody = z.object({
  status_code: z.int(),
  response_body: z.string(),
  response_length: z.int(),
  timestamp: z.iso.datetime(),
})
export type CallbackBody = z.infer<typeof CallbackBody>
