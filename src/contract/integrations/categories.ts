/**
 * `verified`: checked on the vendor's page. `corroborated`: two independent sources agree. `listed`: one source.
 * `discovered`: fetched from the vendor when configured.
 */
export const tiers = ['verified', 'corroborated', 'listed', 'discovered'] as const

export const categories = [
  'accounting',
  'analytics',
  'calendar',
  'commerce',
  'communication',
  'crm',
  'design',
  'developer-tools',
  'documents',
  'education',
  'files',
  'finance',
  'forms',
  'health',
  'hr',
  'identity',
  'mail',
  'marketing',
  'media',
  'payments',
  'productivity',
  'project-management',
  'sales',
  'social',
  'support',
  'travel',
  'other',
] as const
