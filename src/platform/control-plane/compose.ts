// The part of the wiring list that keeps resources and workspaces, and hands them to the other areas.

import type pg from 'pg'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Log } from '../../kit/process/log.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { postgresConnectionsTo, postgresScheduledWorkloads } from './adapters/across-workspaces.ts'
import { postgresEgressAddresses } from './adapters/egress-addresses.ts'
import { postgresFunctionConnections } from './adapters/function-connections.ts'
import { resourceChanges, withChangeEvents, withRemovalEvents } from './adapters/resource-changes.ts'
import { postgresResources } from './adapters/resources.ts'
import { postgresWorkspaces } from './adapters/workspaces.ts'
import { assignMembers, lateMembers, retryTakenAddress } from './flows/assign-members.ts'
import { createResource } from './flows/create-resource.ts'
import { deleteResource } from './flows/delete-resource.ts'
import { findBlockers, findWarnings, type RuntimeKind } from './flows/find-blockers.ts'
import { findResource, withAttachments } from './flows/find-resource.ts'
import { listResources } from './flows/list-resources.ts'
import { type AccountAccess, manageWorkspaces } from './flows/manage-workspaces.ts'
import { resourceAssertions } from './flows/resource-assertions.ts'
import { serveGateway } from './flows/serve-gateway.ts'
import { serveJobs } from './flows/serve-jobs.ts'
import { settleDeployment } from './flows/settle-deployment.ts'
import { updateOrCreate, updateResource } from './flows/update-resource.ts'
import { listOperation } from './http/list-operation.ts'
import { type Offers, offerOperations } from './http/offer-operations.ts'
import { resourceDocument, type Show } from './http/resource-document.ts'
import { type ResourceFlows, resourceOperations } from './http/resource-operations.ts'
import { workspaceOperations } from './http/workspace-operations.ts'
import { flatListings, kinds } from './kinds/catalogue.ts'

export function openControlPlaneAdapters(config: Config, pool: pg.Pool) {
  const changes = resourceChanges()
  return {
    workspaces: withRemovalEvents(postgresWorkspaces(pool), changes.emit),
    resources: withChangeEvents(postgresResources(pool), changes.emit),
    changes,
    scheduledWorkloads: postgresScheduledWorkloads(pool),
    connectionsTo: postgresConnectionsTo(pool),
    functionConnections: postgresFunctionConnections(pool),
    addresses: postgresEgressAddresses(pool, config.egressRanges),
  }
}

type Needs = ReturnType<typeof openControlPlaneAdapters> & {
  vault: SealedBox
  cursors: OpaqueCursors
  log: Log<PlatformEvent>
  loops: LoopReports
  now: () => Date
}

/** What other areas know and this one asks. */
type Others = {
  access: AccountAccess
  /** Images that run here without registration. */
  builtInImages: readonly string[]
  isBuiltIn(image: string): boolean
  isSchedule(text: string): boolean
  missingSecrets(api: { type: string; model: string }, names: readonly string[]): string[]
  mayCallBack(url: string): boolean
}

export function assembleControlPlane(config: Config, adapters: Needs, others: Others) {
  const { settle, flows } = resourceFlows(config, adapters, others)
  const workspaces = manageWorkspaces({ ...adapters, ...others.access })
  const turns = [
    repeat('settle-deployments', 5_000, settle.stranded, adapters.loops),
    repeat('finish-workspaces', 5_000, workspaces.finishStranded, adapters.loops),
  ]
  return {
    settle,
    operations: [
      ...kindOperations(config, { ...flows, now: adapters.now }),
      ...workspaceOperations(workspaces),
      ...offerOperations(offersOf(config, others.builtInImages)),
    ],
    /** Resources as the areas that run them need them. */
    forGateway: serveGateway(adapters),
    forJobs: serveJobs(adapters),
    async close() {
      await Promise.all(turns.map((turn) => turn.stop()))
    },
  }
}

function kindOperations(config: Config, flows: ResourceFlows) {
  const show: Show = (kind, resource) => resourceDocument(kind, resource, config.addresses)
  const everywhere = { parentOf: () => undefined }
  return [
    ...kinds.flatMap((kind) => resourceOperations(kind, flows, show)),
    ...flatListings.map(({ path, kind }) => listOperation(kind, { path, ...everywhere }, flows, show)),
  ]
}

function resourceFlows(
  config: Config,
  adapters: Needs,
  { isBuiltIn, isSchedule, missingSecrets, mayCallBack }: Others,
) {
  const blockers = findBlockers({
    ...adapters,
    integrations: config.integrations.ids(),
    isSchedule,
    missingSecrets,
    runtimeKindOf: runtimeKindOf(config, isBuiltIn),
  })
  const warnings = findWarnings({ mayCallBack })
  const settle = settleDeployment({ ...adapters, blockers, lateMembers: lateMembers(adapters), warnings })
  const assert = resourceAssertions(adapters)
  const attached = withAttachments(adapters)
  const create = retryTakenAddress((attempt) =>
    createResource({ ...adapters, assign: assignMembers({ ...adapters, attempt }), assert, blockers, settle }),
  )
  const update = updateResource({ ...adapters, assert, settle })
  const flows = {
    createResource: create,
    findResource: findResource({ ...adapters, withAttachments: attached }),
    listResources: listResources({ ...adapters, assert, withAttachments: attached }),
    updateResource: updateOrCreate(update, create),
    deleteResource: deleteResource({ ...adapters, assert }),
  }
  return { settle, flows }
}

const runtimeKindOf =
  ({ runtimes }: Config, isBuiltIn: Others['isBuiltIn']) =>
  (image: string): RuntimeKind | undefined => {
    const found = runtimes.find(image)
    if (found) return 'url' in found ? 'address' : 'command'
    return isBuiltIn(image) ? 'both' : undefined
  }

/** Hundreds of integrations are shipped, and few are ever asked for: each is read when somebody does. */
const offersOf = ({ integrations, runtimes }: Config, builtInImages: readonly string[]): Offers => ({
  images: [...builtInImages, ...runtimes.all.map(({ image }) => image)],
  integrations: () => integrations.all().map(offerOf),
  integration(name) {
    const found = integrations.get(name)
    return found && offerOf(found)
  },
})

const offerOf = ({ id, displayName, apiHosts, tools }: ReturnType<Config['integrations']['all']>[number]) => ({
  name: id,
  displayName,
  apiHosts,
  tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
})
