/** Methods of the Python client for analyses, by the end of the `operationId`, without the closing parenthesis. */
const ANALYSES: Readonly<Record<string, string>> = {
  Summary: 'client.summary(filters={filter}',
  Facets: 'client.facets({keys}, filters={filter}',
  Statistics: 'client.statistics({features}, filters={filter}',
  Histogram: 'client.histogram({feature}, bins={bins}, scale={scale}',
  Coverage: 'client.coverage({by}, limit={limit}',
  Grid: 'client.grid({x}, {y}, x_bins={xBins}, y_bins={yBins}',
  Points: 'client.points({x}, {y}, {color}, limit={limit}',
  Nearest: 'client.nearest({recipe}, k={k}',
};

const LISTS = ['polymers', 'solvents', 'units', 'morphologies', 'instabilities'] as const;

/**
 * The calls of the Python client, by `operationId`. A name in braces is a parameter of the example, a member of its body, or `body`.
 * Other operations have no method.
 */
export const pythonCalls: Readonly<Record<string, string>> = {
  getPublicDataset: 'client.load_records(limit={limit}, filters={filter})',
  getPublicDatasetLatest: 'client.load_records(limit={limit}, filters={filter})',
  getPublicDatasetVersion: 'client.load_records(limit={limit}, version={version})',
  getPublicDatasetExport: 'client.export_file("dataset.json", export_format={format}, filters={filter})',
  getPublicDatasetVersionExport: 'client.export_file("dataset.json", export_format={format}, version={version})',
  getPublicDatasetVersions: 'client.versions()',
  getPublicDatasetVersionsFromDiffTo: 'client.diff({from}, {to})',
  getPublicDatasetRecordsRecordId: 'client.record({recordId})',
  getPublicDatasetVersionRecordsRecordId: 'client.record({recordId}, version={version})',
  getPublicDatasetMetadata: 'client.metadata(format={format})',
  getPublicDatasetVersionMetadata: 'client.metadata({version}, format={format})',
  getPublicDatasetRecordsRecordIdMetadata: 'client.metadata(format={format}, record={recordId})',
  getPublicDatasetVersionRecordsRecordIdMetadata: 'client.metadata({version}, format={format}, record={recordId})',
  getPublicDatasetPapers: 'client.papers(filters={filter})',
  getPublicDatasetVersionPapers: 'client.papers(version={version})',
  ...Object.fromEntries(
    Object.entries(ANALYSES).flatMap(([name, call]) => [
      [`getPublicDataset${name}`, `${call})`],
      [`getPublicDatasetVersion${name}`, `${call}, version={version})`],
    ]),
  ),
  postPublicQueries: 'client.query({filter}, sort={sort})',
  getPublicQueriesId: 'client.get_query({id})',
  getMetadataFeatures: 'client.features()',
  ...Object.fromEntries(
    LISTS.map((list) => [`getMetadata${list.charAt(0).toUpperCase()}${list.slice(1)}`, `client.references().${list}`]),
  ),
  postDataSubmit: 'client.submit({body})',
  putDataUpdateRecordId: 'client.update({recordId}, {body})',
  getDataSubmissionSubmissionId: 'client.status({submissionId})',
  getDataMyRecords: 'client.records(status={status})',
  getDataMyRecordsIds: 'client.record_ids(status={status})',
  getDataRecordsRecordIdMessages: 'client.messages({recordId})',
  postDataRecordsRecordIdMessages: 'client.write_message({recordId}, {text})',
  postDataParseExcel: 'client.parse_excel({file})',
  getDataTemplateXlsx: 'client.template("template.xlsx")',
  getAuthProfileExport: 'client.own_data()',
  postImagesUpload: 'client.upload_image({file}, {imageType})',
  postExperimentsExperimentIdImages: 'client.attach_image({experimentId}, {imageId}, {imageType})',
  getModerationQueue: 'client.moderation_queue({status}, polymer={polymer}, limit={limit})',
  getModerationRecordsId: 'client.moderation_record({id})',
  getModerationDecisions: 'client.decisions(limit={limit})',
  postModerationApprove: 'client.approve({recordIds}, {revisions})',
  postModerationReject: 'client.reject({recordIds}, {reason})',
  postModerationDecisionsIdUndo: 'client.undo({id})',
  postModerationRecordsIdWithdraw: 'client.withdraw({id}, {reason})',
  postModerationRecordsIdRestore: 'client.restore({id}, {revision})',
  postModerationRecordsIdReopen: 'client.reopen({id}, {revision})',
};
