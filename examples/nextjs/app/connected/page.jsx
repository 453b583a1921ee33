import { ReturnError } from '@causeway/client'
import { CausewayConnected } from '@causeway/connect/react'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { causeway } from '../../lib/causeway.js'
import { readSession } from '../../lib/sessions.js'

export default async function Connected({ searchParams }) {
  const { status, cause, causeForUser, continueUrl } = await finish(await searchParams)
  if (continueUrl) redirect(continueUrl)
  return (
    <>
      <h1>{status === 'linked' ? 'Connected' : (causeForUser?.title ?? cause?.title ?? status)}</h1>
      <CausewayConnected status={status} causeCode={cause?.code}>
        <p>
          {causeForUser?.advice} <a href="/">Back to your accounts</a>
        </p>
      </CausewayConnected>
    </>
  )
}

async function finish(query) {
  try {
    return await causeway().connect.finish(query, readSession(await cookies())?.connecting)
  } catch (error) {
    // Another browser started this connect session.
    if (error instanceof ReturnError) return { status: 'failed', cause: { code: error.code, title: error.message } }
    throw error
  }
}
