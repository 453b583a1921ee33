import { z } from 'zod'
import type { DocumentParts } from '../../../kit/http/openapi/document-parts.ts'

export type MessageDescription = { type: string; summary: string; description: string; body: z.ZodType }

/** Standard Webhooks: a signed POST to the tenant's endpoint. */
const headers = {
  'webhook-id': {
    description: 'The id of the event, the same in every attempt: remember the ones you have handled.',
    required: true,
    schema: z.string().regex(/^evt_/),
  },
  'webhook-timestamp': {
    description: 'When this attempt was sent, in Unix seconds.',
    required: true,
    schema: z.string().regex(/^[0-9]+$/),
  },
  'webhook-signature': {
    description: 'One or more signatures, separated by spaces. Any one by a secret you know is enough.',
    required: true,
    schema: z.string().regex(/^v1,/),
  },
}

export const describeMessages = (parts: DocumentParts, messages: readonly MessageDescription[], tag: string) =>
  Object.fromEntries(
    messages.map(({ type, summary, description, body }) => [
      type,
      { post: describeMessage(parts, { type, summary, description, body }, tag) },
    ]),
  )

const describeMessage = (parts: DocumentParts, message: MessageDescription, tag: string) => ({
  operationId: `on${parts.nameOf(message.body)}`,
  summary: message.summary,
  description: message.description,
  tags: [tag],
  // Authenticated by its signature.
  security: [],
  parameters: parts.requestHeaders(headers),
  requestBody: { required: true, content: { 'application/json': parts.json(message.body, 'output') } },
  responses: {
    '2XX': { description: 'Received.' },
    '410': { description: 'The endpoint is gone: it is disabled, and this message is not sent again.' },
    default: { description: 'Not received: the message is sent again later, for up to two days.' },
  },
})
