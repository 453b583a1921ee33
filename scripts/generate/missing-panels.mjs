import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../set-up/folders.mjs'

/**
 * Metrics that no Grafana panel and no recording rule uses.
 * @param {Record<string, any>} tables
 * @returns {string[]}
 */
export function missingPanels({ kitMetrics, onboardingMetrics, platformMetrics }) {
  const dashboards = readdirSync(join(root, 'deploy/grafana')).map((name) => `deploy/grafana/${name}`)
  const used = [...dashboards, 'deploy/prometheus/recording-rules.yml']
    .filter((path) => /\.(?:json|yml)$/.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const programs = { causeway: onboardingMetrics, platform: platformMetrics }
  const names = Object.entries(programs).flatMap(([prefix, own]) =>
    Object.values({ ...kitMetrics, ...own }).map(({ name }) => `${prefix}_${name}`),
  )
  return names.filter((name) => !used.includes(name)).map((name) => `no panel shows ${name}`)
}
