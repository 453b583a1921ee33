import type { ConnectOffer } from '../../flows/show-connect-page.ts'

/** Scopes without words of their own shape the sign-in and grant nothing a visitor would care about. */
export function connectLocals({ session, tenant, integration }: ConnectOffer) {
  return {
    title: `Link ${integration.displayName} to ${tenant.displayName}`,
    integration: integration.displayName,
    description: integration.description,
    tenant: tenant.displayName,
    workspace: tenant.workspace,
    endUser: session.endUser.displayName ?? session.endUser.email ?? session.endUser.id,
    permissions: integration.scopes.flatMap(({ description }) => (description ? [description] : [])),
    returnOrigin: new URL(session.returnUrl).host,
    minutesLeft: Math.max(1, Math.round((session.expiresAt.getTime() - Date.now()) / 60_000)),
  }
}
