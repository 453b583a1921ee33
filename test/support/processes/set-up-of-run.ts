// Prepares a test run. In parallel: one part waits for servers while the other one uses a core.
import type { TestProject } from 'vitest/node'
import { bundlePrograms } from './bundled-programs.ts'
import { startStores } from './stores-of-run.ts'

export default async function setUpRun(project: TestProject): Promise<() => Promise<void>> {
  const [stopStores] = await Promise.all([startStores(project), bundlePrograms()])
  return stopStores
}
