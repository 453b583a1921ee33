import { cookies } from 'next/headers'
import { appUrl, causeway, integrationId, tenantId } from '../../lib/causeway.js'
import { sessionOf } from '../../lib/sessions.js'

export async function POST() {
  const session = sessionOf(await cookies())
  const endUser = { id: session.userId }
  const returnUrl = `${appUrl}/connected`
  const { url, state } = await causeway().connect.begin({ tenantId, integrationId, endUser, returnUrl })
  session.connecting = state
  return new Response(null, { status: 303, headers: { Location: url } })
}
