import type { Actor } from '../../shared/domain/audit.ts'
import { clockToleranceSeconds } from '../domain/client-assertion.ts'
import {
  type Asserted,
  AssertionRefused,
  maxAssertionLength,
  type TrustedIssuer,
  untrusted,
  whatIsAsserted,
} from '../domain/identity-assertion.ts'
import type { AcceptedAssertion, AssertionRequest, IdentityPorts } from '../domain/ports.ts'
import { functionsOf, noteGrant } from './function-access.ts'

type Settings = { trustedIssuers: readonly TrustedIssuer[]; publicUrl: string; gatewayUrl: string }

/** The assertion is used up once everything else is checked, so that a rejected request does not cost it. */
export async function acceptIdentityAssertion(
  ports: IdentityPorts,
  settings: Settings,
  { assertion, client, createGrant, ...asked }: AssertionRequest,
): Promise<AcceptedAssertion> {
  if (!client.isConfidential) throw new AssertionRefused('unauthorized_client', 'the client must authenticate')
  if (assertion.length > maxAssertionLength) throw new AssertionRefused('invalid_grant', 'the assertion is too long')
  const named = await ports.assertions.issuerOf(assertion)
  const trusted = settings.trustedIssuers.find(({ issuer }) => issuer === named)
  if (!trusted) throw untrusted()
  const claims = await ports.assertions.verify(assertion, trusted)
  const asserted = whatIsAsserted(
    claims,
    trusted,
    { ...asked, clientId: client.id },
    {
      issuer: settings.publicUrl,
      gatewayUrl: settings.gatewayUrl,
      nowSeconds: ports.now().getTime() / 1000,
      clockToleranceSeconds,
    },
  )
  const { resource, scopes } = asserted
  const user = await personAt(ports, asserted)
  await ports.assertions.use(claims)
  const grantId = await createGrant({ accountId: user.id, resource, scopes })
  const { workspace, name, functionId, endUserId, id: accountId, label: accountLabel } = user
  const grant = { workspace, name, functionId, accountId, accountLabel, endUserId, scopes }
  const by: Actor = { kind: 'end_user', id: accountId, label: accountLabel, credential: `assertion:${trusted.issuer}` }
  const app = { clientId: client.id, clientName: client.name, redirectTo: trusted.issuer }
  await noteGrant(ports, grantId, { ...grant, ...app }, by)
  return { accountId, resource, scopes, grantId }
}

/** For all functions of the person, the account is that at the first one. */
async function personAt(ports: IdentityPorts, { target: { workspace, name }, endUserId }: Asserted) {
  const functions = await functionsOf(ports, workspace, endUserId)
  const user = functions.find((each) => name === undefined || each.name === name)
  if (!user) throw new AssertionRefused('invalid_grant', 'the person has no access to this resource')
  return user
}
