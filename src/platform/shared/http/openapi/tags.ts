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
  approvals: 'Integrations',
  vpcs: 'Networking',
  egressgateways: 'Networking',
  egressips: 'Networking',
  customdomains: 'Networking',
  templates: 'Offers',
  locations: 'Offers',
  configuration: 'Offers',
}

export const tags = [
  { name: 'Workspaces', description: 'Containers of all resources, and their members.' },
  { name: 'Accounts', description: 'Billing accounts and their costs.' },
  { name: 'Identity', description: 'Service accounts and API keys.' },
  { name: 'Audit', description: 'The history of changes.' },
  { name: 'Agents', description: 'Workloads that respond to requests.' },
  { name: 'Functions', description: 'MCP servers.' },
  { name: 'Jobs', description: 'Tasks that run in parallel, and their executions.' },
  { name: 'Models', description: 'Model APIs.' },
  { name: 'Sandboxes', description: 'Environments for commands and files.' },
  { name: 'Storage', description: 'Drives, volumes and their templates.' },
  { name: 'Policies', description: 'Rules for workloads.' },
  { name: 'Integrations', description: 'External services and the connections of workloads to them.' },
  { name: 'Networking', description: 'Private networks, gateways and domains.' },
  { name: 'Offers', description: 'Templates, locations and configuration of the platform.' },
  { name: 'Gateway', description: 'Requests to workloads.' },
  { name: 'OAuth', description: 'The authorization server.' },
]

export function tagOf(path: string): string {
  const tag = steps[path.split('/')[1] ?? '']
  if (!tag) throw new Error(`${path} needs a tag in openapi/tags.ts`)
  return tag
}
