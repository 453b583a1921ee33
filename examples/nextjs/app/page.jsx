import { cookies } from 'next/headers'
import { appNames, causeway, integrationId, tenantId } from '../lib/causeway.js'
import { events } from '../lib/events.js'
import { readSession } from '../lib/sessions.js'
import { ConnectButton } from './connect-button.jsx'

export default async function Home() {
  const endUserId = readSession(await cookies())?.userId
  const connections = endUserId ? await causeway().connections.list({ tenantId, endUserId }).toArray() : []
  const names = await appNames()
  const messages = [...events.values()].filter(({ data }) => endUserId && data.endUser?.id === endUserId)
  return (
    <>
      <h1>Your accounts</h1>
      <ConnectButton>Connect {names[integrationId] ?? integrationId}</ConnectButton>
      <ul>
        {connections.map(({ id, integrationId: app, status, upstreamAccount, functionUrl }) => (
          <li key={id}>
            {names[app] ?? app}: {upstreamAccount?.label ?? 'an account'}, {status}, <code>{functionUrl}/mcp</code>
          </li>
        ))}
      </ul>
      <h2>Messages</h2>
      <ul>
        {messages.map(({ id, type, timestamp }) => (
          <li key={id}>
            {type} at {timestamp}
          </li>
        ))}
      </ul>
    </>
  )
}
