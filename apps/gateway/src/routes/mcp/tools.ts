import type { Tool } from './tool.ts';
import { toolParts, type ToolSources } from './tool-parts.ts';
import { describeDataset } from './tools/describe-dataset.ts';
import { searchRecords } from './tools/search-records.ts';
import { summarize } from './tools/summarize.ts';
import { statistics } from './tools/statistics.ts';
import { nearest } from './tools/nearest.ts';
import { getRecord } from './tools/get-record.ts';
import { cite } from './tools/cite.ts';

/** Returns the tools of the Model Context Protocol. Each one calls the functions of the routes that it represents. */
export function mcpTools(sources: ToolSources): Tool[] {
  const parts = toolParts(sources);
  return [
    describeDataset(parts),
    searchRecords(parts),
    summarize(parts),
    statistics(parts),
    nearest(parts),
    getRecord(parts),
    cite(parts),
  ];
}
