import { Webhook } from 'standardwebhooks'

export type Message = { id: string; body: string }

/** The receiver answered, or nothing came back. */
export type Forwarded = { status: number; ms: number } | { status: undefined; reason: string }

const timeoutMs = 30_000

/** Sends one message as a delivery of ours would be sent (Standard Webhooks). */
export async function forward(url: string, secret: string, { id, body }: Message): Promise<Forwarded> {
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'causeway-cli',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  const from = performance.now()
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return { status: answer.status, ms: Math.round(performance.now() - from) }
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } }
    return { status: undefined, reason: cause?.code ?? name }
  }
}
