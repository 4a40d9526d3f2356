// For the floor that runs the graphs in its own process: its checkpointer must come from the same copy of
// LangGraph.
export { MemorySaver } from '@langchain/langgraph';
