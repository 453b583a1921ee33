import { args, count, integration, text } from './schema.ts'

const api = 'https://api.github.com'
const repository = { owner: text('The owner of the repository'), repo: text('Its name') }
const page = { per_page: count('How many', 100), page: count('Which page', 1_000) }
const pageQuery = { per_page: '{per_page}', page: '{page}' }

export const github = integration({
  name: 'github',
  displayName: 'GitHub',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  // GitHub answers 200 also when it refuses a refresh token.
  brokenGrantErrors: ['invalid_grant', 'bad_refresh_token'],
  apiHosts: ['api.github.com'],
  tools: [
    {
      name: 'list_repositories',
      description: 'Lists the repositories that the account can reach, the latest change first.',
      inputSchema: args(page),
      request: { method: 'GET', url: `${api}/user/repos`, query: { ...pageQuery, sort: 'updated' } },
    },
    {
      name: 'search_issues',
      description: 'Finds issues and pull requests.',
      inputSchema: args({ query: text('A GitHub search, for example: repo:acme/site is:open login'), ...page }, [
        'query',
      ]),
      request: { method: 'GET', url: `${api}/search/issues`, query: { q: '{query}', ...pageQuery } },
    },
    {
      name: 'get_issue',
      description: 'Reads one issue or pull request.',
      inputSchema: args({ ...repository, number: count('Its number', 2_000_000_000) }, ['owner', 'repo', 'number']),
      request: { method: 'GET', url: `${api}/repos/{owner}/{repo}/issues/{number}` },
    },
    {
      name: 'create_issue',
      description: 'Opens an issue.',
      inputSchema: args(
        {
          ...repository,
          title: text('The title'),
          body: text('The text, in Markdown'),
          labels: { type: 'array', items: { type: 'string' }, description: 'Labels to put on it' },
        },
        ['owner', 'repo', 'title'],
      ),
      request: {
        method: 'POST',
        url: `${api}/repos/{owner}/{repo}/issues`,
        body: { title: '{title}', body: '{body}', labels: '{labels}' },
      },
    },
    {
      name: 'comment_issue',
      description: 'Adds a comment to an issue or a pull request.',
      inputSchema: args(
        { ...repository, number: count('Its number', 2_000_000_000), body: text('The comment, in Markdown') },
        ['owner', 'repo', 'number', 'body'],
      ),
      request: {
        method: 'POST',
        url: `${api}/repos/{owner}/{repo}/issues/{number}/comments`,
        body: { body: '{body}' },
      },
    },
    {
      name: 'list_pull_requests',
      description: 'Lists pull requests of a repository.',
      inputSchema: args({ ...repository, state: { type: 'string', enum: ['open', 'closed', 'all'] }, ...page }, [
        'owner',
        'repo',
      ]),
      request: {
        method: 'GET',
        url: `${api}/repos/{owner}/{repo}/pulls`,
        query: { state: '{state}', ...pageQuery },
      },
    },
  ],
})
