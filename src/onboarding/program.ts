import type { ExportReports } from '../kit/export/export-batch.ts'
import { listen } from '../kit/http/http-server.ts'
import { tracedListener } from '../kit/http/traced-listener.ts'
import { readVersion } from '../kit/installed/installed-root.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAll, closeAndLog, drainAndLog, type Running, runProgram } from '../kit/process/program.ts'
import { repeat, resting } from '../kit/process/repeat.ts'
import { assemble, openWorld, type World } from './compose.ts'
import { type Config, readConfig } from './config.ts'
import { checkDueConnections } from './connections/flows/check-health.ts'
import { forgetOld } from './connections/flows/forget-old.ts'
import { heedApprovals } from './connections/flows/heed-approvals.ts'
import { heedGrantProblems } from './connections/flows/heed-grant-problems.ts'
import { resumeTasks } from './connections/flows/work-on-task.ts'
import { exportAudit } from './flows/export-audit.ts'
import { sealAudit } from './flows/seal-audit.ts'
import { workOnImports } from './imports/flows/work-on-imports.ts'
import { resumeDeletions } from './offboarding/flows/work-on-deletion.ts'
import { resumeErasures } from './offboarding/flows/work-on-erasure.ts'
import { expireStalledLinks } from './provisioning/flows/stalled-links/end-stalled-link.ts'
import { sweepLinks } from './provisioning/flows/sweep-links.ts'
import { deliverWebhooks } from './webhooks/flows/deliver-webhooks.ts'

const hourMs = 60 * 60 * 1_000

/** `open`: fault tests open a world that crashes. */
export const runOnboarding = (open: (config: Config) => World = openWorld) =>
  runProgram('onboarding', () => {
    const config = readConfig(process.env)
    return serve(config, open(config))
  })

async function serve(config: Config, world: World): Promise<Running> {
  const { auditDays: days } = config
  const sweepMs = config.sweepSeconds * 1_000
  const { app, ports, settings, unreadable } = assemble(config, world)
  // Listen first, so that /healthz and /readyz respond while the stores are unavailable.
  const server = await listen(tracedListener(app, world.tracing, {}), { ...config, ...unreadable })
  const names = [...config.allowedHosts, new URL(config.publicUrl).hostname]
  const measures = await listenForMetrics({ ...config, names }, world.metrics)
  const close = closeAll(() => server.close(), measures.close, world.close)
  await world.prepare().catch(async (error) => {
    await close()
    throw error
  })
  const exportReports: ExportReports = {
    failed: (failure) => world.log('audit.export_failed', failure),
    rejected: (rejected) => world.log('audit.export_rejected', rejected),
  }
  const loops = [
    repeat('follow-settings', 1_000, ports.followSettings, world),
    repeat('share-primary', 1_000, world.sharePrimary, world),
    repeat('sweep-links', sweepMs, () => sweepLinks(ports, settings), world),
    // An empty scan is cheap; parked links are not read again.
    repeat(
      'expire-stalled-links',
      sweepMs,
      resting(() => expireStalledLinks(ports, settings), hourMs),
      world,
    ),
    repeat('resume-tasks', sweepMs, () => resumeTasks(ports, settings), world),
    repeat('delete-tenants', sweepMs, () => resumeDeletions(ports, settings), world),
    repeat('erase-end-users', sweepMs, () => resumeErasures(ports, settings), world),
    // Separate, so that a long import does not delay stalled links.
    repeat('import-rows', sweepMs, () => workOnImports(ports, settings), world),
    repeat('check-connections', sweepMs, () => checkDueConnections(ports, settings), world),
    repeat('heed-grant-problems', 10_000, heedGrantProblems(ports, settings), world),
    repeat('heed-approvals', 10_000, heedApprovals(ports), world),
    // Separate, so that a slow receiver does not delay links.
    repeat('deliver-webhooks', 500, deliverWebhooks(ports), world),
    repeat('seal-audit', 5_000, () => sealAudit(ports), world),
    // One for each destination, so that a slow one does not delay the others.
    ...ports.auditExport.destinations.map((destination) =>
      repeat('export-audit', 2_000, () => exportAudit(ports, destination, exportReports), world),
    ),
    repeat('record-key-uses', 60_000, () => ports.apiKeys.recordUses(), world),
    repeat('forget-old', hourMs, () => forgetOld(ports), world),
    repeat('continue-audit-months', 60_000, () => ports.auditRetention.continueMonths(), world),
    repeat('forget-audit', hourMs, async () => days && ports.auditRetention.forgetOld(days), world),
    repeat('examine-integrations', hourMs, world.examineIntegrations, world),
  ]
  world.log('program.started', { port: server.port, pid: process.pid, version: readVersion() })
  process.send?.({ ready: true, port: server.port })
  return {
    drain: drainAndLog(world.log, server, config.drainMs),
    close: closeAndLog(world.log, world.background.hurry, ...loops.map(({ stop }) => stop), close),
  }
}
