// What an operation is about, by the first step of its path.

const steps: Record<string, string> = {
  workspaces: 'Workspaces',
  accounts: 'Accounts',
  profile: 'Workspaces',
  service_accounts: 'Identity',
  api_keys: 'Identity',
  audit: 'Audit',
  agents: 'Agents',
  functions: 'Functions',
  jobs: 'Jobs',
  models: 'Models',
  sandboxes: 'Sandboxes',
  drives: 'Storage',
  volumes: 'Storage',
  volume_templates: 'Storage',
  policies: 'Policies',
  integrations: 'Integrations',
  'grant-problems': 'Integrations',
  vpcs: 'Networking',
  egressgateways: 'Networking',
  egressips: 'Networking',
  customdomains: 'Networking',
  templates: 'Offers',
  locations: 'Offers',
  configuration: 'Offers',
}

export const tags = [
  { name: 'Workspaces', description: 'Where everything else stands, and who may enter.' },
  { name: 'Accounts', description: 'Who pays, and for what.' },
  { name: 'Identity', description: 'Service accounts and API keys.' },
  { name: 'Audit', description: 'Who changed what.' },
  { name: 'Agents', description: 'Workloads that are asked, and answer.' },
  { name: 'Functions', description: 'MCP servers.' },
  { name: 'Jobs', description: 'Tasks that run in parallel, and their executions.' },
  { name: 'Models', description: 'Model APIs.' },
  { name: 'Sandboxes', description: 'Places to run commands and keep files.' },
  { name: 'Storage', description: 'Drives, volumes and their templates.' },
  { name: 'Policies', description: 'Rules for workloads.' },
  { name: 'Integrations', description: 'What workloads can reach, and the connections they do it with.' },
  { name: 'Networking', description: 'Private networks, gateways and domains.' },
  { name: 'Offers', description: 'What the platform offers everybody.' },
  { name: 'Gateway', description: 'Workloads themselves, at the address where they run.' },
  { name: 'OAuth', description: 'The authorization server.' },
]

/** Throws for a path that nobody has given a place, so that a new one is not forgotten. */
export function tagOf(path: string): string {
  const tag = steps[path.split('/')[1] ?? '']
  if (!tag) throw new Error(`${path} needs a tag in openapi/tags.ts`)
  return tag
}
