// For the floor that runs the graphs in its own process: its checkpointer has to come from the same LangGraph.
export { MemorySaver } from '@langchain/langgraph';
