import type pg from 'pg'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import { previewTokens } from '../shared/adapters/preview-tokens.ts'
import type { Engine } from '../shared/domain/engine.ts'
import type { SharedPorts } from '../shared/domain/ports.ts'
import { previewUrls } from '../shared/domain/preview-address.ts'
import {
  postgresCustomHosts,
  postgresPreviewAt,
  postgresUnverifiedDomains,
  txtRecordsOf,
} from './adapters/custom-domains.ts'
import { postgresEgressAddresses } from './adapters/egress-addresses.ts'
import { postgresFunctionConnections } from './adapters/function-connections.ts'
import { containerPreparer } from './adapters/prepare-container.ts'
import { resourceChanges, withChangeEvents, withRemovalEvents } from './adapters/resource-changes.ts'
import {
  postgresConnectionsTo,
  postgresPreviewById,
  postgresRemovedStorage,
  postgresResources,
  postgresSandboxesWithImages,
  postgresScheduledWorkloads,
} from './adapters/resources.ts'
import { postgresRevisions } from './adapters/revisions.ts'
import { postgresWorkspaces } from './adapters/workspaces.ts'
import type { AccountAccess, ControlPlanePorts, RuntimeKind } from './domain/ports.ts'
import { finishStranded } from './flows/manage-workspaces.ts'
import { removeExpired } from './flows/remove-expired.ts'
import { serveGateway } from './flows/serve-gateway.ts'
import { serveJobs } from './flows/serve-jobs.ts'
import { settleStranded } from './flows/settle-deployment.ts'
import { verifyDomains } from './flows/verify-domains.ts'
import { type Offers, offerOperations } from './http/offer-operations.ts'
import { resourceDocument, type Show } from './http/resource-document.ts'
import { listOperation, resourceOperations } from './http/resource-operations.ts'
import { workspaceOperations } from './http/workspace-operations.ts'
import { flatListings, kinds } from './kinds/catalogue.ts'

export function openControlPlaneAdapters(config: Config, pool: pg.Pool) {
  const changes = resourceChanges()
  return {
    workspaces: withRemovalEvents(postgresWorkspaces(pool), changes.emit),
    resources: withChangeEvents(postgresResources(pool), changes.emit),
    changes,
    scheduledWorkloads: postgresScheduledWorkloads(pool),
    sandboxesWithImages: postgresSandboxesWithImages(pool),
    revisions: postgresRevisions(pool),
    removedStorage: postgresRemovedStorage(pool),
    unverifiedDomains: postgresUnverifiedDomains(pool),
    customHosts: postgresCustomHosts(pool),
    previewAt: postgresPreviewAt(pool),
    txtRecords: txtRecordsOf,
    previewById: postgresPreviewById(pool),
    connectionsTo: postgresConnectionsTo(pool),
    functionConnections: postgresFunctionConnections(pool),
    addresses: postgresEgressAddresses(pool, config.egressRanges),
  }
}

type Others = AccountAccess &
  Pick<ControlPlanePorts, 'isSchedule' | 'missingSecrets' | 'mayCallBack'> & {
    builtInImages: readonly string[]
    engine: Engine
    isBuiltIn(image: string): boolean
    isContainer(image: string): boolean
  }

type Adapters = ReturnType<typeof openControlPlaneAdapters> &
  SharedPorts & { vault: ControlPlanePorts['vault']; loops: LoopReports }

export function assembleControlPlane(config: Config, adapters: Adapters, others: Others) {
  const ports: ControlPlanePorts = {
    ...adapters,
    ...others,
    integrations: config.integrations,
    runtimeKindOf: runtimeKindOf(config, others),
    hasPorts: others.engine.containers?.connect !== undefined,
    hasVolumes: others.engine.containers?.mountsVolumes === true,
    prepareContainer: containerPreparer(others.engine),
    settling: new Map(),
    isDomainProof: (record, id) => domainProofs(config).read(record) === id,
    hasPreviewHosts: config.addresses.sandboxDomain !== undefined,
  }
  const settle = () => settleStranded(ports)
  const verifying = repeat('verify-domains', 30_000, verifyDomains(ports), adapters.loops)
  adapters.changes.listen(({ kind }) => kind === 'customdomain' && verifying.soon())
  const turns = [
    repeat('settle-deployments', 5_000, settle, adapters.loops),
    verifying,
    repeat('remove-expired', 5_000, removeExpired(ports), adapters.loops),
    repeat('finish-workspaces', 5_000, () => finishStranded(ports), adapters.loops),
  ]
  return {
    settle,
    operations: [
      ...kindOperations(config, ports),
      ...workspaceOperations(ports),
      ...offerOperations(offersOf(config, others)),
    ],
    forGateway: serveGateway(ports),
    forJobs: serveJobs(ports),
    verifyDomains: verifyDomains(ports),
    async close() {
      await Promise.all(turns.map((turn) => turn.stop()))
    },
  }
}

function kindOperations(config: Config, ports: ControlPlanePorts) {
  const tokens = previewTokens(config.encryptionKeys)
  const previewUrl = previewUrls(config.addresses)
  const domains = { domainProof: domainProofs(config).make, domainTarget: new URL(config.addresses.inference).hostname }
  const addresses = { ...config.addresses, previewUrl, previewToken: tokens.make, ...domains, now: ports.now }
  const show: Show = (kind, resource) => resourceDocument(kind, resource, addresses)
  const parentOf = () => undefined
  return [
    ...kinds.flatMap((kind) => resourceOperations(ports, kind, show)),
    ...flatListings.map(({ path, kind }) => listOperation(ports, kind, { path, parentOf }, show)),
  ]
}

const domainProofs = ({ encryptionKeys }: Config) => previewTokens(encryptionKeys, 'custom domain')

const runtimeKindOf =
  ({ runtimes }: Config, { isBuiltIn, isContainer }: Others) =>
  (image: string): RuntimeKind | undefined => {
    const found = runtimes.find(image)
    if (found) return 'url' in found ? 'address' : 'command'
    if (isBuiltIn(image)) return 'both'
    return isContainer(image) ? 'container' : undefined
  }

/** Integrations are parsed on first use, because hundreds are shipped. */
const offersOf = ({ integrations, runtimes }: Config, { builtInImages, engine }: Others): Offers => ({
  engine: engine.kind,
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
