// Standard Webhooks: receivers verify the signature with a library they can find.
import { Webhook } from 'standardwebhooks'
import type { Secret } from './secret.ts'

type Message = { id: string; at: Date; body: string; secrets: readonly Secret[] }

export const webhookHeaders = ({ id, at, body, secrets }: Message): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Causeway-Webhooks/1',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  // During a rotation there are several signatures; receivers accept any of them.
  'webhook-signature': secrets.map((secret) => new Webhook(secret.reveal()).sign(id, at, body)).join(' '),
})
