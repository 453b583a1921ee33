import { verifyWebhook, WebhookError } from '@causeway/client'
import { events } from '../../lib/events.js'

export async function POST(request) {
  try {
    // The signature covers the raw body.
    const event = verifyWebhook(await request.text(), request.headers, process.env.CAUSEWAY_WEBHOOK_SECRET)
    events.set(event.id, event)
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.message, { status: 400 })
    throw error
  }
}
